import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createHarmlessOutput } from './harmless-output.js';

const clean = (...chunks: (string | Buffer)[]): string => {
  const filter = createHarmlessOutput();
  return Buffer.concat(chunks.map(chunk => filter(Buffer.from(chunk as string)))).toString('utf8');
};

test('text, line breaks, tabs, colours and letters beyond ASCII stay', () => {
  const text = 'a\tb\r\n\x1b[1;31mred\x1b[0m äöü \u00a0 漢字 🙂 ©\n';
  expect(clean(text)).toBe(text);
});

test.each([
  ['the clipboard', '\x1b]52;c;cm0gLXJmIH4=\x07'],
  ['the window title', '\x1b]0;owned\x1b\\'],
  ['cursor movement', '\x1b[2J\x1b[H\x1b[10A'],
  ['a question that the terminal answers', '\x1b[6n\x1b[c\x1bZ\x05'],
  ['a device control string', '\x1bP+q544e\x1b\\'],
  ['an application command', '\x1b_Gf=100;AAAA\x1b\\'],
  ['the one-character forms in UTF-8', '\u009b2J\u009d52;c;aGk=\u0007\u0090x\u001b\\'],
  ['another character set', '\x1b(0\x1b)B'],
  ['bell, backspace and delete', '\x07\x08\x7f'],
  ['a colour with a foreign byte', '\x1b[>4;1m'],
])('removes %s', (_, sequence) => {
  expect(clean(`before${sequence}after`)).toBe('beforeafter');
});

test('gives the same result for any chunk boundaries', () => {
  const text = 'one\x1b]52;c;aGk=\x07two\x1b[31mthree\u009b2Jfour\x1b[2Kfive ä\n';
  const bytes = Buffer.from(text);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: bytes.length }), { maxLength: 6 }), cuts => {
      const places = [0, ...cuts.sort((a, b) => a - b), bytes.length];
      const chunks = places.slice(1).map((end, at) => bytes.subarray(places[at], end));
      expect(clean(...chunks)).toBe('onetwo\x1b[31mthreefourfive ä\n');
    }),
  );
});

test('random input leaves no escape sequences except colours', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), bytes => {
      const cleaned = Buffer.from(createHarmlessOutput()(bytes)).toString('latin1');
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the test is about them
      expect(cleaned.replaceAll(/\x1b\[[0-9:;]*m/g, '')).not.toMatch(/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/);
    }),
  );
});
