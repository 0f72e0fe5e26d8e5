import { createHarmlessOutput } from './harmless-output.js';
import { printable } from './printable.js';

/**
 * Cleans one line of a program's output: no colours, no cursor movements, and only the last state of a line that was
 * overwritten in place (a progress bar).
 */
export function cleanLine(text: string): string {
  if (!UNUSUAL.test(text)) return text;
  const harmless = createHarmlessOutput()(Buffer.from(text)).toString();
  const states = harmless.replaceAll(COLOUR, '').trimEnd().split('\r');
  return printable((states.at(-1) ?? '').replaceAll('\t', '  '));
}

const UNUSUAL = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;
const ESCAPE = '\u001b';
const COLOUR = new RegExp(`${ESCAPE}\\[[\\d:;]*m`, 'g');
