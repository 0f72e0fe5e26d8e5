import { expect, test } from 'vitest';
import { createLineSplitter, MOST_LINE_CHARACTERS } from './line-splitter.js';

function split(...chunks: (string | Buffer)[]): string[] {
  const lines: string[] = [];
  const splitter = createLineSplitter(line => lines.push(line));
  for (const chunk of chunks) splitter.add(Buffer.from(chunk as string));
  splitter.end();
  return lines;
}

test('lines are whole wherever the chunks are cut, and a last one needs no end', () => {
  expect(split('one\ntw', 'o\r\n', '\nthree')).toEqual(['one', 'two', '', 'three']);
  expect(split('one\n')).toEqual(['one']);
});

test('a character that is cut in two is one character, and what is not UTF-8 is replaced', () => {
  const [first, second] = [Buffer.from('é').subarray(0, 1), Buffer.from('é').subarray(1)];
  expect(split(first, second, Buffer.from([0xff, 0x0a, 0xc3]))).toEqual(['é\ufffd', '\ufffd']);
});

test('of a line above the limit the beginning is kept, and the next line is whole again', () => {
  const piece = 'x'.repeat(MOST_LINE_CHARACTERS - 1);
  const lines = split(piece, 'yz', 'dropped', '\nnext\n');
  expect(lines.map(line => line.length)).toEqual([MOST_LINE_CHARACTERS, 4]);
  expect(lines[0]?.at(-1)).toBe('y');
});
