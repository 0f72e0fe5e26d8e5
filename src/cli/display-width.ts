/** Columns that text takes on a terminal. Colours take none. */
export function displayWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const character of text.replaceAll(COLOUR, '')) width += characterWidth(character);
  return width;
}

/** The text as far as it fits in so many columns, with `…` in place of what does not. Keeps its colours. */
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

/** What terminals agree on; for the rest (ambiguous ones) the live view turns wrapping off. */
function characterWidth(character: string): number {
  if (NO_WIDTH.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

const NO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]/u;
/** Without the half-width forms of U+FF61 to U+FFDC, which are of these scripts too. */
const WIDE =
  /^(?![\uff61-\uffdc])[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]/u;
