import { carrelError } from '../../../domain/error/error.js';

/** Parses `a,b,c`. Empty parts are ignored. */
export const listFor =
  (option: string) =>
  (text: string): string[] => {
    const parts = text
      .split(',')
      .map(part => part.trim())
      .filter(part => part !== '');
    if (parts.length > 0) return parts;
    throw carrelError('INVALID_INPUT', {
      what: option,
      found: JSON.stringify(text),
      expected: 'names separated by commas',
    });
  };

/** Parses a number from 0 to 1, or a percentage. */
export const rateFor =
  (option: string) =>
  (text: string): number => {
    const value = text.endsWith('%') ? Number(text.slice(0, -1)) / 100 : Number(text);
    if (text.trim() !== '' && value >= 0 && value <= 1) return value;
    throw carrelError('INVALID_INPUT', {
      what: option,
      found: JSON.stringify(text),
      expected: 'a number from 0 to 1, such as 0.8',
    });
  };
