// Caps the memory of a core WebAssembly module: writes a maximum into its memory section.

const MEMORY_SECTION = 5;
const HEADER_BYTES = 8;
const HAS_MAXIMUM = 1;

/**
 * The module with its memory limited to `maxPages` pages of 64 KiB; undefined when it defines no memory of its own.
 * Throws when it has several memories or needs more than that from the start.
 * Layout: WebAssembly core specification, 5.5.2 (sections) and 5.3.8 (limits).
 */
export function limitMemory(module: Uint8Array, maxPages: number): Uint8Array | undefined {
  let at = HEADER_BYTES;
  while (at < module.length) {
    const [length, body] = readUnsigned(module, at + 1);
    if (module[at] === MEMORY_SECTION) {
      const end = body + length;
      return Buffer.concat([
        module.subarray(0, at),
        limitedSection(module.subarray(body, end), maxPages),
        module.subarray(end),
      ]);
    }
    at = body + length;
  }
  return undefined;
}

function limitedSection(section: Uint8Array, maxPages: number): Uint8Array {
  const [count, flagsAt] = readUnsigned(section, 0);
  if (count !== 1) throw new Error(`expected one memory, found ${count}`);
  const [minPages] = readUnsigned(section, flagsAt + 1);
  if (minPages > maxPages) throw new Error(`the module starts with ${minPages} pages, more than ${maxPages}`);
  const flags = (section[flagsAt] ?? 0) | HAS_MAXIMUM;
  const body = [1, flags, ...writeUnsigned(minPages), ...writeUnsigned(maxPages)];
  return Uint8Array.from([MEMORY_SECTION, ...writeUnsigned(body.length), ...body]);
}

/** LEB128: seven bits a byte, lowest first, the top bit set on all but the last. Value and the offset behind it. */
function readUnsigned(bytes: Uint8Array, at: number): [value: number, next: number] {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at++] ?? 0;
    value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return [value, at];
  }
}

function writeUnsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...writeUnsigned(value >>> 7)];
}
