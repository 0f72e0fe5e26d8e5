/**
 * Makes foreign text (names, file names, messages of other programs) safe to print. Escapes control characters, which
 * could move the cursor or recolour a terminal, invisible format characters, which could reverse the reading order, and
 * broken Unicode. The result is one line.
 */
export function printable(text: string): string {
  return escapeUnprintable(text, /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu);
}

export const escapeUnprintable = (text: string, unprintable: RegExp): string =>
  text.replaceAll(unprintable, escapeCharacter);

/** Like `printable` for text that may have several lines: each further line is indented by two spaces. */
export function printableLines(text: string): string {
  return text.trimEnd().split('\n').map(printable).join('\n  ');
}

const SHORT_ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const long = code > 0xff ? `\\u{${code.toString(16)}}` : `\\x${code.toString(16).padStart(2, '0')}`;
  return SHORT_ESCAPES[character] ?? long;
}
