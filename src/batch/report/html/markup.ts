import { stripVTControlCharacters } from 'node:util';

/** Text that is already markup. Only `html` creates it, so that all other text is escaped once. */
export interface Markup {
  readonly markup: string;
}

type Piece = string | number | Markup | readonly Markup[] | null | false;

/**
 * A template whose values are text: they can neither open an element nor leave an attribute. Line breaks of the template
 * itself, with the indentation of the next line, are not in the page.
 */
export function html(parts: TemplateStringsArray, ...values: readonly Piece[]): Markup {
  const pieces = parts.flatMap((part, index) => [
    part.replaceAll(/\n\s*/g, ''),
    toMarkup(values[index] ?? null),
  ]);
  return { markup: pieces.join('') };
}

function toMarkup(value: Piece): string {
  if (value === null || value === false) return '';
  if (typeof value === 'string' || typeof value === 'number') return escapeHtml(String(value));
  if ('markup' in value) return value.markup;
  return value.map(({ markup }) => markup).join('');
}

/**
 * Colours are dropped; other control characters, which HTML does not allow, and invisible ones, which can disguise
 * text, become escapes.
 */
export function escapeHtml(text: string): string {
  return stripVTControlCharacters(text)
    .replaceAll('\r\n', '\n')
    .replaceAll(/(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Co}\p{Cn}]/gu, escapeCharacter)
    .replaceAll(/[&<>"'`]/g, character => `&#${character.charCodeAt(0)};`);
}

const escapeCharacter = (character: string) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
