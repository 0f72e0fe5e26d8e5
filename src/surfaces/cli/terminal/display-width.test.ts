import { expect, it } from 'vitest';
import { cutToWidth, displayWidth } from './display-width.js';

const red = (text: string) => `\u001b[31m${text}\u001b[39m`;

it('counts columns: two for wide characters, none for marks and colours', () => {
  const widths = ['plain', '↑2 ✓', '日本', 'ｱ', 'e\u0301', '🎉', red('red')].map(displayWidth);
  expect(widths).toEqual([5, 4, 4, 1, 1, 2, 3]);
});

it('keeps text that fits, and cuts other text at a whole character', () => {
  expect(cutToWidth('plain', 5)).toBe('plain');
  expect(cutToWidth('plainly', 5)).toBe('plai…');
  expect(cutToWidth('日本語', 5)).toBe('日本…');
  expect(cutToWidth('日本語', 4)).toBe('日…');
  expect(cutToWidth('plain', 0)).toBe('');
});

it('resets the colour after the cut', () => {
  expect(cutToWidth(red('a long word'), 4)).toBe('\u001b[31ma l…\u001b[0m');
});
