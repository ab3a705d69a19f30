// The settings that every component has.
import { option } from './option-kinds.ts';

export const WORKLOAD_OPTIONS = {
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
