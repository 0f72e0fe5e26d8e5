// Ids sort by time and are safe in file names, refs and URLs: a prefix, 8 characters of time and 8 random ones, in
// Crockford's base 32 in lower case (no i, l, o, u).
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

export type IdPrefix = 'ws' | 'snap' | 'op' | 'lease' | 'slot' | 'task' | 'run' | 'story';

/** Randomness and time come from the composition root so that tests can fix them. */
export interface IdSource {
  readonly now: () => number;
  /** A whole number in [0, limit). */
  readonly random: (limit: number) => number;
}

export function createId(prefix: IdPrefix, source: IdSource): string {
  // 8 characters hold 40 bits. Milliseconds since 1970 ran out of those in 2004; units of 4 ms last until 2109.
  const time = encode(Math.floor(source.now() / 4), 8);
  const chance = Array.from({ length: 8 }, () => ALPHABET[source.random(32)]).join('');
  return `${prefix}_${time}${chance}`;
}

function encode(value: number, length: number): string {
  let rest = value;
  let text = '';
  for (let i = 0; i < length; i++) {
    text = ALPHABET[rest % 32] + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}
