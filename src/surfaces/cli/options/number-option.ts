import { carrelError } from '../../../domain/error/error.js';
import { parseDuration } from '../../../domain/quantity/quantity.js';

type Parser = (text: string) => number;

/** Parses a whole number of either sign. Commander does not pass the name of the option, which errors need. */
export const wholeNumberFor = (option: string): Parser => parserFor(option, /^-?\d{1,15}$/, 'a whole number');

/** Parses a whole number above 0. */
export const countFor = (option: string): Parser =>
  parserFor(option, /^[1-9]\d{0,14}$/, 'a whole number above 0');

/** Parses an amount of money above 0. */
export const amountFor = (option: string): Parser =>
  parserFor(option, /^(?=.*[1-9])\d{1,9}(\.\d{1,9})?$/, 'an amount above 0, such as 2.50');

/** Parses a duration, to milliseconds. */
export const durationFor =
  (option: string): Parser =>
  text =>
    parseDuration(text, option);

function parserFor(option: string, pattern: RegExp, expected: string): Parser {
  return text => {
    if (pattern.test(text)) return Number(text);
    throw carrelError('INVALID_INPUT', { what: option, found: JSON.stringify(text), expected });
  };
}
