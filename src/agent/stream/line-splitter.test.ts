import { expect, test } from 'vitest';
import { createLineSplitter, MOST_JSON_CHARACTERS, MOST_LINE_CHARACTERS } from './line-splitter.js';

function split(...chunks: (string | Buffer)[]): string[] {
  const lines: string[] = [];
  const splitter = createLineSplitter(line => lines.push(line));
  for (const chunk of chunks) splitter.add(Buffer.from(chunk as string));
  splitter.end();
  return lines;
}

test('lines are complete wherever chunks are split, and the last one needs no line break', () => {
  expect(split('one\ntw', 'o\r\n', '\nthree')).toEqual(['one', 'two', '', 'three']);
  expect(split('one\n')).toEqual(['one']);
});

test('a character split in two is one character, and invalid UTF-8 is replaced', () => {
  const [first, second] = [Buffer.from('é').subarray(0, 1), Buffer.from('é').subarray(1)];
  expect(split(first, second, Buffer.from([0xff, 0x0a, 0xc3]))).toEqual(['é\ufffd', '\ufffd']);
});

test('the start of a line above the limit is kept, and the next line is complete again', () => {
  const piece = 'x'.repeat(MOST_LINE_CHARACTERS - 1);
  const lines = split(piece, 'yz', 'dropped', '\nnext\n');
  expect(lines.map(line => line.length)).toEqual([MOST_LINE_CHARACTERS, 4]);
  expect(lines[0]?.at(-1)).toBe('y');
});

test('a line of JSON may be far above that limit, and a cut one is reported', () => {
  const lines: string[] = [];
  const cut: number[] = [];
  const splitter = createLineSplitter(
    line => lines.push(line),
    line => cut.push(line.length),
  );
  const large = JSON.stringify({ text: 'x'.repeat(2 * MOST_LINE_CHARACTERS) });
  splitter.add(Buffer.from(`${large}\n{`));
  splitter.add(Buffer.alloc(MOST_JSON_CHARACTERS, 'x'));
  splitter.add(Buffer.from('\nnext\n'));
  expect(lines[0]).toBe(large);
  expect(lines.map(line => line.length)).toEqual([large.length, MOST_JSON_CHARACTERS, 4]);
  expect(cut).toEqual([MOST_JSON_CHARACTERS]);
});
