// Which paths in sysfs belong to what is plugged into another node. Pure.

/** True below a controller of vhci. */
export function isImportedPath(path: string): boolean {
  return /\/vhci_hcd[./]/.test(path);
}
