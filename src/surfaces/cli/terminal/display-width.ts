import { eastAsianWidth } from 'get-east-asian-width';

/** Columns that text takes on a terminal. Colours take none. */
export function displayWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const character of text.replaceAll(COLOUR, '')) width += characterWidth(character);
  return width;
}

/** Cuts the text to a number of columns, with `…` at the end. Keeps its colours. */
export function cutToWidth(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  if (columns < 1) return '';
  let kept = '';
  let width = 0;
  for (const [part] of text.matchAll(COLOUR_OR_CHARACTER)) {
    const isColour = part.length > 2;
    if (!isColour) width += characterWidth(part);
    if (width > columns - 1) break;
    kept += part;
  }
  return `${kept}…${text.includes(ESCAPE) ? `${ESCAPE}[0m` : ''}`;
}

const ESCAPE = '\u001b';
const PLAIN = /^[\x20-\x7e]*$/;
const COLOUR = new RegExp(`${ESCAPE}\\[[\\d;]*m`, 'g');
const COLOUR_OR_CHARACTER = new RegExp(`${COLOUR.source}|.`, 'gsu');

/** Ambiguous ones count as narrow, as most terminals show them; the live view turns wrapping off. */
function characterWidth(character: string): number {
  if (NO_WIDTH.test(character)) return 0;
  return eastAsianWidth(character.codePointAt(0) ?? 0);
}

const NO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]/u;
