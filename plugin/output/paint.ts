// The few colours that we use, as the 16 of every terminal.

const CODES = { red: 31, green: 32, yellow: 33, cyan: 36, dim: 2, bold: 1 } as const;

export type Paint = keyof typeof CODES;

export function paint(text: string, style: Paint | undefined, colour: boolean): string {
  return colour && style ? `\u001b[${CODES[style]}m${text}\u001b[0m` : text;
}
