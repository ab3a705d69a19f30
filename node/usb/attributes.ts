// The text files of a device folder as numbers; what is missing or garbled is undefined, never guessed.
import type { SysfsTree } from './sysfs-tree.ts';

export interface Attributes {
  text(file: string): string | undefined;
  /** Hexadecimal digits without prefix. */
  hex(file: string, most: number): number | undefined;
  decimal(file: string, most: number): number | undefined;
}

export function attributesOf(tree: SysfsTree, folder: string): Attributes {
  const text = (file: string) => tree.readText(`${folder}/${file}`)?.trim();
  return {
    text,
    hex: (file, most) => number(text(file), /^[\da-f]{1,8}$/i, 16, most),
    decimal: (file, most) => number(text(file), /^\d{1,9}$/, 10, most),
  };
}

function number(text: string | undefined, form: RegExp, base: number, most: number): number | undefined {
  if (text === undefined || !form.test(text)) return undefined;
  const value = Number.parseInt(text, base);
  return value <= most ? value : undefined;
}
