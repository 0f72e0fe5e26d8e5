import { UNPRINTABLE } from '../../../domain/text/visible-json.js';
import { escapeUnprintable } from './printable.js';

/**
 * Filters for output to a terminal. A file, a name or a log may hold bytes that set the clipboard (OSC 52), clear the
 * screen or reverse the reading order; on a terminal they are shown as escapes. A pipe gets every byte unchanged, so
 * these are only called for terminals.
 */

/** For bytes of any origin, chunk by chunk: everything but text, tabs and line breaks is escaped, colours too. */
export function createVisibleOutput(): (chunk: Uint8Array) => string {
  // A character may be split between two chunks. Invalid UTF-8 becomes U+FFFD.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return chunk => escapeUnprintable(decoder.decode(chunk, { stream: true }), UNPRINTABLE);
}

/** For text that Carrel formatted: its colours stay. */
export function visibleText(text: string): string {
  return text
    .split(COLOUR)
    .map((part, at) => (at % 2 === 1 ? part : escapeUnprintable(part, UNPRINTABLE)))
    .join('');
}

const ESCAPE = '\u001b';
const COLOUR = new RegExp(`(${ESCAPE}\\[[\\d:;]*m)`);
