import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSkimmer } from './skimmer.js';

function skimAll(text: string, cuts: readonly number[], readBytes: number): string[] {
  const lines: string[] = [];
  const skimmer = createSkimmer(line => lines.push(line), readBytes);
  const bytes = Buffer.from(text);
  const places = [0, ...cuts.map(cut => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  for (let index = 1; index < places.length; index++)
    skimmer.add(bytes.subarray(places[index - 1], places[index]));
  skimmer.end();
  return lines;
}

const line = fc.oneof(
  fc.constant('y'),
  fc.constant(''),
  fc.integer().map(n => JSON.stringify({ n })),
);
const text = fc.array(line, { maxLength: 30 }).map(lines => lines.map(each => `${each}\n`).join(''));

test('below the limit every line is emitted', () => {
  fc.assert(
    fc.property(text, fc.array(fc.nat(), { maxLength: 5 }), (printed, cuts) => {
      expect(skimAll(printed, cuts, 1_000_000)).toEqual(printed.split('\n').slice(0, -1));
    }),
  );
});

test('in a flood every line of JSON is emitted, complete and once, however it is split', () => {
  const ofJson = (lines: readonly string[]) => lines.filter(each => each.startsWith('{'));
  fc.assert(
    fc.property(text, fc.array(fc.nat(), { maxLength: 5 }), (printed, cuts) => {
      expect(ofJson(skimAll(printed, cuts, 0))).toEqual(ofJson(printed.split('\n')));
    }),
  );
});

test('an empty chunk changes nothing', () => {
  expect(skimAll('y\n{}\n\n', [2, 2], 0)).toEqual(['y', '{}', '']);
});

test('in a flood of other lines the last of each chunk is emitted', () => {
  expect(skimAll('a\nb\nc\nd\n', [4], 0)).toEqual(['a', 'b', 'd']);
});
