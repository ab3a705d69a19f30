// The settings of `virt-node usb-controller`.
import { SERVICE_ACCOUNTS } from '../../proto/api/names.ts';
import { option } from './option-kinds.ts';
import type { ParsedOptions } from './options.ts';
import { WORKLOAD_OPTIONS } from './workload-options.ts';

export const USB_CONTROLLER_OPTIONS = {
  namespace: option.text({
    flag: 'namespace',
    env: 'POD_NAMESPACE',
    help: 'Namespace of the lease by which one replica leads.',
    form: 'a namespace',
    pattern: /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/,
    fallback: SERVICE_ACCOUNTS.namespace,
  }),
  ...WORKLOAD_OPTIONS,
} as const;

export type UsbControllerOptions = ParsedOptions<typeof USB_CONTROLLER_OPTIONS>['values'];
