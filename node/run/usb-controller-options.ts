// The settings of `virt-node usb-controller`.
import { SERVICE_ACCOUNTS } from '../../proto/api/names.ts';
import { option } from './option-kinds.ts';
import type { ParsedOptions } from './options.ts';

export const USB_CONTROLLER_OPTIONS = {
  namespace: option.text({
    flag: 'namespace',
    env: 'POD_NAMESPACE',
    help: 'Namespace of the lease by which one replica leads.',
    form: 'a namespace',
    pattern: /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/,
    fallback: SERVICE_ACCOUNTS.namespace,
  }),
  kubeconfig: option.optionalText({
    flag: 'kubeconfig',
    env: 'KUBECONFIG',
    help: "How to reach the API server; without it the pod's own account is used.",
    form: 'a kubeconfig file',
  }),
  probePort: option.port({
    flag: 'healthz-port',
    env: 'HEALTHZ_PORT',
    help: 'Port of /healthz, /readyz and /metrics.',
    fallback: 51_515,
  }),
  logLevel: option.choice({
    flag: 'log-level',
    env: 'LOG_LEVEL',
    help: 'Least level that is logged.',
    choices: ['debug', 'info', 'warn', 'error', 'silent'],
    fallback: 'info',
  }),
} as const;

export type UsbControllerOptions = ParsedOptions<typeof USB_CONTROLLER_OPTIONS>['values'];
