// The port to the kernel's file interfaces: everything below a host root. Paths are absolute (`/sys/...`, `/dev/...`).

/**
 * Reads are synchronous because sysfs and procfs answer from memory; a scan yields between devices. Writes are
 * asynchronous because the kernel acts inside them (binding, resetting, attaching) and may take long.
 * Reads return undefined for what is missing or vanished (ENOENT, ENODEV, ENXIO, EIO, EINVAL, EAGAIN, ENOTDIR).
 */
export interface SysfsTree {
  readText(path: string): string | undefined;
  readBytes(path: string): Uint8Array | undefined;
  /** Names in a folder, sorted; empty when it is missing. */
  list(path: string): string[];
  exists(path: string): boolean;
  /** The target of a link resolved to an absolute path inside the tree; undefined when it is missing. */
  resolve(path: string): string | undefined;
  /** Major and minor numbers of a device file; undefined when it is missing. */
  deviceNumbers(path: string): { major: number; minor: number } | undefined;
  /** One write(2) of the whole text. Rejects with TypedError KERNEL, with the errno name in the message and `cause`. */
  write(path: string, text: string): Promise<void>;
  /**
   * Opens a device file and keeps it open: the kernel does not free what is behind it until `release`, even when it is
   * pulled out. Rejects with TypedError KERNEL.
   */
  hold(path: string): Promise<{ release(): Promise<void> }>;
}
