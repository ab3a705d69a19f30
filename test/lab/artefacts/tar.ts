// Writes tar archives (POSIX ustar) with fixed owners and times, so equal content gives equal bytes.

export type TarEntry =
  | { readonly kind: 'folder'; readonly name: string }
  | { readonly kind: 'file'; readonly name: string; readonly content: Uint8Array; readonly mode?: number }
  | { readonly kind: 'link'; readonly name: string; readonly target: string };

const BLOCK = 512;
const TYPE = { file: '0', link: '2', folder: '5' } as const;
const MODE = { file: 0o644, link: 0o777, folder: 0o755 } as const;

/** The archive of the entries in their order; throws RangeError for a name or target over 100 bytes. */
export function encodeTar(entries: readonly TarEntry[]): Buffer {
  const blocks = entries.flatMap((entry) => {
    const content = entry.kind === 'file' ? Buffer.from(entry.content) : Buffer.alloc(0);
    return [header(entry, content.length), content, Buffer.alloc(-content.length & (BLOCK - 1))];
  });
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]);
}

function header(entry: TarEntry, size: number): Buffer {
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, at: number, width: number) =>
    block.write(`${value.toString(8).padStart(width - 1, '0')}\0`, at, 'latin1');
  text(block, entry.name, 0);
  octal(entry.kind === 'file' ? (entry.mode ?? MODE.file) : MODE[entry.kind], 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(0, 136, 12);
  block.write(TYPE[entry.kind], 156, 'latin1');
  if (entry.kind === 'link') text(block, entry.target, 157);
  block.write('ustar\x0000', 257, 'latin1');
  // The sum counts its own field as spaces.
  block.fill(' ', 148, 156);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}

function text(block: Buffer, value: string, at: number): void {
  const bytes = Buffer.from(value);
  if (bytes.length > 100) throw new RangeError(`too long for a tar archive: ${value}`);
  bytes.copy(block, at);
}
