/**
 * Removes terminal control from a stream: cursor movement, window titles, the clipboard (OSC 52), queries that the
 * terminal answers as input. Text, line breaks, tabs and colours stay. A sequence may be split between two chunks, so the
 * filter has state.
 */
export function createHarmlessOutput(): (chunk: Uint8Array) => Buffer {
  let state: State = { kind: 'text' };
  return chunk => {
    const kept: number[] = [];
    for (const byte of chunk) state = step(state, byte, kept);
    return Buffer.from(kept);
  };
}

type State =
  | { readonly kind: 'text' }
  /** After ESC. */
  | { readonly kind: 'escape' }
  /** In ESC [ ..., so far. */
  | { readonly kind: 'control'; readonly bytes: readonly number[] }
  /** In OSC, DCS, SOS, PM or APC: until BEL or ESC \. */
  | { readonly kind: 'string'; readonly afterEscape: boolean }
  /** After 0xC2: with the next byte it may be a control character of the upper half (U+0080 to U+009F). */
  | { readonly kind: 'upper' };

const [BELL, TAB, LINE, RETURN, ESCAPE, DELETE] = [0x07, 0x09, 0x0a, 0x0d, 0x1b, 0x7f];
const UPPER_LEAD = 0xc2;
/** Longer than any colour; longer sequences are dropped. */
const LONGEST_COLOUR = 32;

function step(state: State, byte: number, kept: number[]): State {
  switch (state.kind) {
    case 'text':
      return text(byte, kept);
    case 'escape':
      return afterEscape(byte, kept);
    case 'control':
      return inControl(state.bytes, byte, kept);
    case 'string':
      if (byte === BELL || (state.afterEscape && byte === 0x5c)) return { kind: 'text' };
      return { kind: 'string', afterEscape: byte === ESCAPE };
    case 'upper':
      return afterUpper(byte, kept);
  }
}

function text(byte: number, kept: number[]): State {
  if (byte === ESCAPE) return { kind: 'escape' };
  if (byte === UPPER_LEAD) return { kind: 'upper' };
  if (byte === LINE || byte === TAB || byte === RETURN || (byte >= 0x20 && byte !== DELETE)) kept.push(byte);
  return { kind: 'text' };
}

function afterEscape(byte: number, kept: number[]): State {
  if (byte === 0x5b) return { kind: 'control', bytes: [] };
  // ] P X ^ _
  if ([0x5d, 0x50, 0x58, 0x5e, 0x5f].includes(byte)) return { kind: 'string', afterEscape: false };
  // Intermediate bytes, such as in ESC ( B.
  if (byte >= 0x20 && byte <= 0x2f) return { kind: 'escape' };
  return byte === LINE || byte === ESCAPE ? text(byte, kept) : { kind: 'text' };
}

function inControl(bytes: readonly number[], byte: number, kept: number[]): State {
  if (byte < 0x20) return text(byte, kept);
  const isFinal = byte >= 0x40 && byte <= 0x7e;
  if (!isFinal) return { kind: 'control', bytes: bytes.length < LONGEST_COLOUR ? [...bytes, byte] : bytes };
  if (byte === 0x6d && bytes.length < LONGEST_COLOUR && bytes.every(isColourByte))
    kept.push(ESCAPE, 0x5b, ...bytes, byte);
  return { kind: 'text' };
}

/** Digits, ":" and ";". */
const isColourByte = (byte: number): boolean => byte >= 0x30 && byte <= 0x3b;

function afterUpper(byte: number, kept: number[]): State {
  // U+009B is ESC [, and U+0090, 98, 9D, 9E, 9F begin strings, on terminals that support them.
  if (byte === 0x9b) return { kind: 'control', bytes: [] };
  if ([0x90, 0x98, 0x9d, 0x9e, 0x9f].includes(byte)) return { kind: 'string', afterEscape: false };
  if (byte >= 0x80 && byte <= 0x9f) return { kind: 'text' };
  if (byte < 0x80) return text(byte, kept);
  kept.push(UPPER_LEAD, byte);
  return { kind: 'text' };
}
