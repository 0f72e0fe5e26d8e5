import { carrelError } from '../domain/error.js';

/** `a,b,c`; what is empty does not count. */
export function parseList(text: string): string[] {
  const parts = text
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== '');
  if (parts.length > 0) return parts;
  throw carrelError('INVALID_INPUT', {
    what: 'the list',
    found: JSON.stringify(text),
    expected: 'names, separated by commas',
  });
}

/** From 0 to 1, or a percentage. */
export function parseRate(text: string): number {
  const value = text.endsWith('%') ? Number(text.slice(0, -1)) / 100 : Number(text);
  if (text.trim() !== '' && value >= 0 && value <= 1) return value;
  throw carrelError('INVALID_INPUT', {
    what: 'the rate',
    found: JSON.stringify(text),
    expected: 'a number from 0 to 1, such as 0.8',
  });
}
