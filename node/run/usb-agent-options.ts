// The settings of `virt-node usb-agent`; flags and variables of the component we replace keep their names.
import { CDI_ROOT, KUBELET, USBIP_PORT } from '../../proto/api/names.ts';
import { option } from './option-kinds.ts';
import type { ParsedOptions } from './options.ts';
import { WORKLOAD_OPTIONS } from './workload-options.ts';

export const USB_AGENT_OPTIONS = {
  nodeName: option.text({
    flag: 'node-name',
    env: 'NODE_NAME',
    help: 'Name of this node.',
    form: 'a node name in lower case',
    pattern: /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/,
  }),
  policy: option.optionalText({
    flag: 'policy',
    env: 'POLICY',
    help: 'Rules that say which devices are offered, before the default ones.',
    form: 'a YAML or JSON file',
  }),
  allowPlainPeers: option.flag({
    flag: 'allow-plain-peers',
    env: 'ALLOW_PLAIN_PEERS',
    help: 'Export to and import from other nodes over unencrypted USB/IP. Off: only devices of this node.',
  }),
  usbipAddress: option.optionalAddress({
    flag: 'usbipd-address',
    env: 'USBIPD_ADDRESS',
    help: "Address where other nodes find this node's devices; required with --allow-plain-peers.",
  }),
  usbipPort: option.port({
    flag: 'usbipd-port',
    env: 'USBIPD_PORT',
    help: 'Port of the exporter.',
    fallback: USBIP_PORT,
  }),
  maxConnections: option.count({
    flag: 'usbipd-max-tcp-connections',
    help: 'Connections to the exporter that may be open before hand-over.',
    fallback: 100,
    most: 10_000,
  }),
  cdiRoot: option.text({
    flag: 'cdi-root',
    env: 'CDI_ROOT',
    help: 'Folder of CDI files that the container runtime reads.',
    form: 'an absolute folder',
    pattern: /^\//,
    fallback: CDI_ROOT,
  }),
  pluginsDir: option.text({
    flag: 'kubelet-plugins-dir',
    help: "The kubelet's plugin folder; state is kept below it.",
    form: 'an absolute folder',
    pattern: /^\//,
    fallback: KUBELET.plugins,
  }),
  registryDir: option.text({
    flag: 'kubelet-registry-dir',
    help: 'Folder where the kubelet looks for plugin sockets.',
    form: 'an absolute folder',
    pattern: /^\//,
    fallback: KUBELET.registry,
  }),
  hostRoot: option.text({
    flag: 'host-root',
    help: 'Folder that holds sys, dev and proc of the node.',
    form: 'an absolute folder',
    pattern: /^\//,
    fallback: '/',
  }),
  uevents: option.choice({
    flag: 'uevents',
    help: 'How plugging is noticed: kernel netlink, or watching the device folders.',
    choices: ['netlink', 'watch'],
    fallback: 'netlink',
  }),
  ...WORKLOAD_OPTIONS,
} as const;

export type UsbAgentOptions = ParsedOptions<typeof USB_AGENT_OPTIONS>['values'];
