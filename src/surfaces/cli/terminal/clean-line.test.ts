import { expect, it } from 'vitest';
import { cleanLine } from './clean-line.js';

it('removes colours, cursor movements and titles from a line, and escapes other control characters', () => {
  expect(cleanLine('plain ✓')).toBe('plain ✓');
  expect(cleanLine('\u001b[1;31mred\u001b[0m \u001b[2Jtext\u001b]0;title\u0007')).toBe('red text');
  expect(cleanLine('a\tb\u202ec')).toBe('a  b\\u{202e}c');
  expect(cleanLine('half a sequence \u001b[3')).toBe('half a sequence');
});

it('shows the last state of an overwritten line', () => {
  expect(cleanLine('10%\r20%\r30%\r')).toBe('30%');
});
