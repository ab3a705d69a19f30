// The command line of a node's kernel.

export interface KernelSettings {
  readonly name: string;
  readonly address: string;
  readonly gateway: string;
  readonly mac: string;
  /** Network device in the namespace of the lab. */
  readonly tap: string;
  /** MiB. */
  readonly memory: number;
  /** File with an ext4 file system. */
  readonly disk: string;
  /** First program, on the machine's file system. */
  readonly init: string;
  /** Folder for the kernel's own sockets. */
  readonly scratch: string;
}

/** Emulated USB controllers of a node, each with a high-speed and a SuperSpeed port. */
export const EMULATED_CONTROLLERS = 10;

/** Folders that are on the disk, and so are there again after a power loss. */
export const PERSISTENT_FOLDERS: readonly string[] = [
  '/var/lib/kubelet',
  '/var/lib/containerd',
  '/var/lib/cni',
  '/var/lib/virt',
  '/var/log/pods',
  '/var/log/containers',
];

/** Arguments in which no value may hold a space: the kernel splits its command line at them. */
export function kernelArguments(settings: KernelSettings): string[] {
  const args = [
    `mem=${settings.memory}M`,
    `umid=${settings.name}`,
    `uml_dir=${settings.scratch}`,
    'rootfstype=hostfs',
    'rootflags=/',
    'ro',
    `init=${settings.init}`,
    `ubd0=${settings.disk}`,
    `vec0:transport=tap,ifname=${settings.tap},mac=${settings.mac}`,
    // Terminals: the console goes to the log, 1 to the agent, 2 and 3 to the logs of containerd and the kubelet.
    'con=null',
    'con0=null,fd:1',
    'con1=fd:3',
    'con2=null,fd:4',
    'con3=null,fd:5',
    'quiet',
    'usb-storage.delay_use=0',
    `dummy_hcd.num=${EMULATED_CONTROLLERS}`,
    'dummy_hcd.is_super_speed=1',
    `lab.name=${settings.name}`,
    `lab.ip=${settings.address}`,
    `lab.gateway=${settings.gateway}`,
  ];
  const spaced = args.find((arg) => /\s/.test(arg));
  if (spaced) throw new RangeError(`a kernel argument may not hold a space: ${spaced}`);
  return args;
}
