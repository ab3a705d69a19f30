// The versions of everything real in the lab, and the packages of the machine that it needs.

export const VERSIONS = {
  /** Debian package with the sources of the nodes' kernel; Debian's updates of it do not cause a rebuild. */
  kernelSource: 'linux-source-6.12',
  kubernetes: '1.37.2',
  containerd: '2.4.2',
  etcd: '3.7.3',
  /** Oldest Go that may start the build; it fetches the toolchain named in go/<program>/go.mod by itself. */
  go: '1.21',
} as const;

export interface MachinePackage {
  /** Name for apt-get. */
  readonly name: string;
  /** The package is there when one of these files is. */
  readonly files: readonly string[];
}

function program(name: string, ...files: string[]): MachinePackage {
  return { name, files: files.flatMap((file) => [`/usr/bin/${file}`, `/usr/sbin/${file}`]) };
}

/** What builds the artefacts and what runs the lab, in the order in which they are reported. */
export const MACHINE_PACKAGES: readonly MachinePackage[] = [
  program('gcc', 'gcc'),
  { name: 'libc6-dev', files: ['/usr/include/stdlib.h'] },
  program('make', 'make'),
  program('flex', 'flex'),
  program('bison', 'bison'),
  program('bc', 'bc'),
  program('xz-utils', 'xz'),
  program('patch', 'patch'),
  program('iproute2', 'ip'),
  program('util-linux', 'flock'),
  program('openssl', 'openssl'),
  program('e2fsprogs', 'mkfs.ext4'),
  program('nftables', 'nft'),
  program('usbip', 'usbip'),
  program('runc', 'runc'),
  { name: 'containernetworking-plugins', files: ['/usr/lib/cni/bridge'] },
  // The images hold nothing but busybox, so it must not need libraries: only this package's is static.
  { name: 'busybox-static', files: ['/usr/share/doc/busybox-static'] },
];
