import { carrelError } from '../domain/error.js';

/** A whole number of either sign, for commander. */
export function parseWholeNumber(text: string): number {
  const value = /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  return requireNumber(text, value, 'a whole number, such as 5');
}

/** A whole number above 0. */
export function parseCount(text: string): number {
  const value = /^[1-9]\d{0,14}$/.test(text) ? Number(text) : Number.NaN;
  return requireNumber(text, value, 'a whole number above 0, such as 200000');
}

/** An amount of money above 0. */
export function parseAmount(text: string): number {
  const value = /^\d{1,9}(\.\d{1,9})?$/.test(text) && Number(text) > 0 ? Number(text) : Number.NaN;
  return requireNumber(text, value, 'an amount above 0, such as 2.50');
}

function requireNumber(text: string, value: number, expected: string): number {
  if (!Number.isNaN(value)) return value;
  throw carrelError('INVALID_INPUT', { what: 'the number', found: JSON.stringify(text), expected });
}
