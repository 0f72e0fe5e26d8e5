import { expect, it } from 'vitest';
import { createOutputWindow } from './output-window.js';

function show(limit: number, chunks: readonly string[]): string {
  const window = createOutputWindow(limit);
  for (const chunk of chunks) window.add(Buffer.from(chunk));
  return window.text();
}

it('keeps all output that fits, in any chunks', () => {
  for (const chunks of [[], ['0123456789ab'], ['01', '2345', '', '6789ab'], [...'0123456789ab']])
    expect(show(12, chunks)).toBe(chunks.join(''));
});

it('keeps the beginning and the end of longer output, in any chunks', () => {
  const long = '0123456789abcdefghijklmnopqrstuvwxyz';
  const expected = '012\n[... 24 bytes left out ...]\nrstuvwxyz';
  for (const size of [1, 2, 5, 9, 10, 13, 35, 36]) {
    const chunks = long.match(new RegExp(`.{1,${size}}`, 'g')) as string[];
    expect(show(12, chunks)).toBe(expected);
  }
});

it('shows no partial characters', () => {
  expect(show(12, ['é'.repeat(20)])).toBe('é\n[... 28 bytes left out ...]\néééé');
});
