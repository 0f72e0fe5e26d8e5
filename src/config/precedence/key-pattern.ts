import { findValue, isMapping } from '../files/merge-values.js';

/** The paths in a value that match a dotted pattern: `*` matches every existing key. */
export function expandPattern(value: unknown, pattern: string): string[][] {
  return expand(value, pattern.split('.'));
}

function expand(value: unknown, [step, ...rest]: readonly string[]): string[][] {
  if (step === undefined) return [[]];
  const keys = step !== '*' ? [step] : isMapping(value) ? Object.keys(value) : [];
  return keys.flatMap(key => expand(findValue(value, [key]), rest).map(tail => [key, ...tail]));
}
