import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nearest } from './nearest-word.js';

const known = ['isolation', 'workspace', 'snapshots', 'templates'];

test.each([
  ['isolatoin', 'isolation'],
  ['Workspace', 'workspace'],
  ['snapshot', 'snapshots'],
  ['tmeplates', 'templates'],
])('%s is near to %s', (word, expected) => {
  expect(nearest(word, known)).toBe(expected);
});

test('a word unlike all others has no nearest word', () => {
  expect(nearest('colour', known)).toBeUndefined();
  expect(nearest('', known)).toBeUndefined();
  expect(nearest('isolation', [])).toBeUndefined();
});

test('short words are not near each other just because they are short', () => {
  expect(nearest('a', ['b', 'ui'])).toBeUndefined();
  expect(nearest('ab', ['cd'])).toBeUndefined();
  expect(nearest('ab', ['ac'])).toBe('ac');
});

test('the nearest of a known word is itself', () => {
  const words = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,12}$/), { minLength: 1 });
  fc.assert(fc.property(words, list => list.every(word => nearest(word, list) === word)));
});
