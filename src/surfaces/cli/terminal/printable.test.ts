import fc from 'fast-check';
import { expect, it } from 'vitest';
import { printable, printableLines } from './printable.js';

it('keeps ordinary text of any language', () => {
  expect(printable('src/naïve café/日本語 — ok?.ts')).toBe('src/naïve café/日本語 — ok?.ts');
});

it('escapes control characters and invisible characters', () => {
  expect(printable('a\u001b[31mred\u0007')).toBe('a\\x1b[31mred\\x07');
  expect(printable('two\nlines\tand\rmore')).toBe('two\\nlines\\tand\\rmore');
  expect(printable('c1 \u009b, delete \u007f')).toBe('c1 \\x9b, delete \\x7f');
  expect(printable('gpj.\u202etxt \u200b\u2028')).toBe('gpj.\\u{202e}txt \\u{200b}\\u{2028}');
  expect(printable('half \ud800')).toBe('half \\u{d800}');
});

it('never lets a control character through', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), text => !/\p{Cc}|\p{Cf}/u.test(printable(text))));
});

it('keeps the lines of a longer message and indents all but the first', () => {
  expect(printableLines('failed:\nhint: \u001b[2Jfake\n')).toBe('failed:\n  hint: \\x1b[2Jfake');
});
