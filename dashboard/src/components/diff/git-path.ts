/** The two paths of `diff --git`, which git writes without saying where the first one ends. */
export function readPathPair(words: string): { before: string; after: string } {
  if (words.startsWith('"') || words.endsWith('"')) return readQuotedPair(words);
  // Without quotes both are the same, or others are named in the lines below: `a/`, a path, a blank, `b/`, the path.
  const path = words.slice('a/'.length, (words.length - 1) / 2);
  return { before: path, after: path };
}

const QUOTED = /^("(?:[^"\\]|\\.)*"|\S+) ("(?:[^"\\]|\\.)*"|.+)$/;

function readQuotedPair(words: string): { before: string; after: string } {
  const [, before = words, after = words] = QUOTED.exec(words) ?? [];
  return { before: readPath(before).slice('a/'.length), after: readPath(after).slice('b/'.length) };
}

const ESCAPES: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 };

/** git quotes a path with odd characters as C does, byte by byte. */
export function readPath(text: string): string {
  if (!text.startsWith('"')) return text;
  const parts = text.slice(1, -1).match(/\\[0-7]{3}|\\.|[^\\]+/gs) ?? [];
  const bytes = parts.flatMap(part => (part.startsWith('\\') ? [unescapeByte(part.slice(1))] : encode(part)));
  return new TextDecoder().decode(new Uint8Array(bytes));
}

const encode = (text: string): number[] => [...new TextEncoder().encode(text)];

function unescapeByte(code: string): number {
  if (code.length === 3) return Number.parseInt(code, 8);
  return ESCAPES[code] ?? code.charCodeAt(0);
}
