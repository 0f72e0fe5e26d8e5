import { stripVTControlCharacters } from 'node:util';
import { escapeHtml, html, type Markup } from './markup.js';

/**
 * How much external text one attempt may add to the report, counted in written bytes: a thousand
 * attempts with huge messages still make a page that a browser opens quickly.
 */
export interface TextBudget {
  readonly left: number;
  /** As much of the text as `most` and the budget allow, from its start or its end, with a mark where it is cut. */
  take(text: string, most: number, from?: 'start' | 'end'): Markup;
}

/** The cost of the markup around a text: many small texts must not be free. */
const SURROUNDINGS = 150;

export function createTextBudget(bytes: number): TextBudget {
  let left = bytes;
  return {
    get left() {
      return Math.max(0, left);
    },
    take(text, most, from = 'start') {
      const escaped = escapePart(text, Math.min(most, Math.max(0, left)), from);
      left -= Buffer.byteLength(escaped.markup) + SURROUNDINGS;
      return escaped;
    },
  };
}

const CUT = html`<span class="cut">[…]</span>`;

function escapePart(text: string, bytes: number, from: 'start' | 'end'): Markup {
  // No character takes less than a byte.
  const near = from === 'start' ? text.slice(0, bytes) : text.slice(Math.max(0, text.length - bytes));
  const characters = [...stripVTControlCharacters(near)];
  const count = countFitting(from === 'start' ? characters : characters.toReversed(), bytes);
  if (near.length === text.length && count === characters.length) return html`${text}`;
  const part = from === 'start' ? characters.slice(0, count) : characters.slice(characters.length - count);
  return from === 'start' ? html`${part.join('')}${CUT}` : html`${CUT}${part.join('')}`;
}

function countFitting(characters: readonly string[], bytes: number): number {
  const sizes = new Map<string, number>();
  let total = 0;
  const tooMany = characters.findIndex(character => {
    const size = sizes.get(character) ?? Buffer.byteLength(escapeHtml(character));
    sizes.set(character, size);
    total += size;
    return total > bytes;
  });
  return tooMany === -1 ? characters.length : tooMany;
}
