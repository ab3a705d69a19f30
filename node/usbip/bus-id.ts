// Bus ids as the kernel names USB devices: `3-2.1` is port 1 of the hub in port 2 of bus 3.

/** At most 31 bytes: the field of the protocol and of the kernel's own table is 32 with its NUL. */
const BUS_ID = /^[1-9]\d{0,4}-[1-9]\d{0,2}(\.[1-9]\d{0,2}){0,6}$/;

/** True for the id of a device, not of a root hub or interface; such text is safe as a folder name. */
export function isBusId(text: string): boolean {
  return text.length <= 31 && BUS_ID.test(text);
}
