import type { z } from 'zod';
import { nearest } from '../../domain/text/nearest-word.js';

/** The two halves of "KEY is FOUND; expected EXPECTED", and a suggestion. */
export interface IssueWords {
  readonly found: string;
  readonly expected: string;
  readonly nearest: string | undefined;
}

/** Describes an issue, given the value at its path. A custom check may provide `found` and `nearest`. */
export function describeIssue(issue: z.core.$ZodIssue, value: unknown): IssueWords {
  const expected = (issue.code === 'invalid_key' ? issue.issues[0]?.message : undefined) ?? issue.message;
  return { found: describeFound(issue, value), expected, nearest: findNearest(issue, value) };
}

/** zod's error map: its messages say what was expected. A message in the schema wins. */
export const describeExpectation: z.core.$ZodErrorMap = issue => {
  switch (issue.code) {
    case 'invalid_type':
      return TYPES[issue.expected] ?? issue.expected;
    case 'invalid_value':
      return describeChoice(issue.values.map(String));
    case 'invalid_union':
      return describeAlternatives(listChoices(issue));
    case 'too_small':
      return describeBound(issue.origin, 'at least', issue.minimum);
    case 'too_big':
      return describeBound(issue.origin, 'at most', issue.maximum);
    default:
      return undefined;
  }
};

const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping',
  record: 'a mapping',
};

const describeAlternatives = (choices: readonly unknown[] | undefined): string | undefined =>
  choices && describeChoice(choices.map(String));

const describeChoice = (values: readonly string[]): string =>
  values.length === 1 ? JSON.stringify(values[0]) : `one of ${values.join(', ')}`;

function describeBound(origin: string, bound: string, limit: number | bigint): string {
  if (origin === 'string') return limit === 1 ? 'text that is not empty' : `${bound} ${limit} characters`;
  if (origin === 'array') return limit === 1 ? 'a list that is not empty' : `${bound} ${limit} entries`;
  return `a number of ${bound} ${limit}`;
}

function findNearest(issue: z.core.$ZodIssue, value: unknown): string | undefined {
  if (issue.code === 'custom') return findParameter(issue, 'nearest');
  const choices = listChoices(issue);
  return choices && typeof value === 'string' ? nearest(value, choices.map(String)) : undefined;
}

/** zod 4 puts the discriminator values of a union into `options`, and does not declare it. */
function listChoices(issue: z.core.$ZodRawIssue | z.core.$ZodIssue): readonly unknown[] | undefined {
  if (issue.code === 'invalid_value') return issue.values;
  return 'options' in issue && Array.isArray(issue.options) ? issue.options : undefined;
}

function describeFound(issue: z.core.$ZodIssue, value: unknown): string {
  if (issue.code === 'invalid_key') return 'not an accepted name';
  return (issue.code === 'custom' ? findParameter(issue, 'found') : undefined) ?? describeValue(value);
}

function findParameter(issue: z.core.$ZodIssueCustom, name: string): string | undefined {
  const parameter = issue.params?.[name];
  return typeof parameter === 'string' ? parameter : undefined;
}

const MOST_CHARACTERS = 60;

function describeValue(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'empty';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'object') return 'a mapping';
  if (typeof value === 'number') return `the number ${value}`;
  if (typeof value !== 'string') return String(value);
  return JSON.stringify(value.length > MOST_CHARACTERS ? `${value.slice(0, MOST_CHARACTERS)}…` : value);
}
