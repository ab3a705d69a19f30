// Strings that a device tells about itself, made safe to print, to compare and to publish.

/** Controls, and the invisible characters that change the direction or the lines of a text (terminal spoofing). */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Valid UTF-8 without control characters, trimmed; undefined when nothing is left. What is replaced becomes U+FFFD. */
export function cleanText(bytes: Uint8Array): string | undefined {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  return text.trim().replace(UNSAFE, '\ufffd') || undefined;
}
