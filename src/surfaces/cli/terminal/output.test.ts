import { expect, it } from 'vitest';
import { createOutput, type Output } from './output.js';

const HOSTILE = 'a\u001b]52;c;ZXZpbA==\u0007\u009b2J \u202etxt.\u2066 \u007f \r tab\tend';
const STEERING = /[^\P{Cc}\n\t]|\p{Cf}/u;

const ways: readonly (readonly [string, (output: Output) => void])[] = [
  ['the answer', output => output.answer(HOSTILE)],
  ['bytes', output => output.bytes(Buffer.from(HOSTILE))],
  ['JSON', output => output.json({ [HOSTILE]: HOSTILE })],
  ['a line of JSON', output => output.jsonLine([HOSTILE])],
  ['narration', output => output.narrate(HOSTILE)],
  ['a block of narration', output => output.narrateBlock(HOSTILE)],
];

it.each(ways)('escapes control sequences in %s on a terminal', (_, say) => {
  expect(said(true, say)).not.toMatch(STEERING);
});

it('writes to a pipe unchanged', () => {
  expect(said(false, output => output.answer(HOSTILE))).toBe(`${HOSTILE}\n`);
  expect(said(false, output => output.bytes(Buffer.from(HOSTILE)))).toBe(HOSTILE);
  expect(said(false, output => output.jsonLine(HOSTILE))).toBe(`${JSON.stringify(HOSTILE)}\n`);
});

it('keeps the meaning of JSON on a terminal, including field names', () => {
  const shown = said(true, output => output.json({ [HOSTILE]: [HOSTILE, 'e\u{e0001}'] }));
  expect(JSON.parse(shown)).toEqual({ [HOSTILE]: [HOSTILE, 'e\u{e0001}'] });
});

it('keeps its own colours on a terminal', () => {
  const shown = said(true, output => output.answer(output.answerColors.red('failed')));
  expect(shown).toBe('\u001b[31mfailed\u001b[39m\n');
});

it('joins a character that is split between two chunks, and marks a broken one', () => {
  const bytes = Buffer.from('é\u202e');
  const shown = said(true, output => {
    for (const byte of bytes) output.bytes(Buffer.from([byte]));
    output.bytes(Buffer.from([0x9b, 0x0a]));
  });
  expect(shown).toBe('é\\u{202e}\ufffd\n');
});

function said(isTTY: boolean, say: (output: Output) => void): string {
  const chunks: Buffer[] = [];
  const sink = { isTTY, write: (chunk: string | Buffer) => chunks.push(Buffer.from(chunk)) };
  say(createOutput(sink, sink, { TERM: 'xterm' }));
  return Buffer.concat(chunks).toString();
}
