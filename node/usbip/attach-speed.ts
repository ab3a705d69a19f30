// The speed that vhci is told, by kernel release.

const SUPER = 5;
const SUPER_PLUS = 6;

/**
 * vhci takes super plus (6) since Linux 6.12 and refuses it with EINVAL before; as super (5) such a device works on
 * every kernel, since the speed of the network decides anyway. `release` is `uname -r`.
 */
export function attachSpeed(speed: number, release: string): number {
  if (speed !== SUPER_PLUS) return speed;
  const [major = 0, minor = 0] = release.split('.', 2).map((part) => Number.parseInt(part, 10));
  return major > 6 || (major === 6 && minor >= 12) ? SUPER_PLUS : SUPER;
}
