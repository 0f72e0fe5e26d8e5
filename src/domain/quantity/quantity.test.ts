import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isCarrelError } from '../error/error.js';
import { formatDuration, formatLimit, formatSize } from '../text/format-quantity.js';
import { isDuration, isSize, parseDuration, parseSize } from './quantity.js';

test.each([
  ['0s', 0],
  ['250ms', 250],
  ['90s', 90_000],
  ['15m', 900_000],
  ['12h', 43_200_000],
  ['7d', 604_800_000],
  ['1w', 604_800_000],
  ['1.5h', 5_400_000],
  [' 7d ', 604_800_000],
])('the duration %j is %i ms', (text, milliseconds) => {
  expect(parseDuration(text)).toBe(milliseconds);
});

test.each([
  ['0b', 0],
  ['512k', 524_288],
  ['512m', 536_870_912],
  ['2g', 2_147_483_648],
  ['2G', 2_147_483_648],
  ['2gb', 2_147_483_648],
  ['2GiB', 2_147_483_648],
  ['1.5k', 1536],
  ['100b', 100],
])('the size %j is %i bytes', (text, bytes) => {
  expect(parseSize(text)).toBe(bytes);
});

test.each([
  '',
  '7',
  'd',
  '-7d',
  '7 d',
  '7days',
  '1e3s',
  '7D',
  '1..5h',
  '７d',
  '7d\n7d',
  `${'9'.repeat(400)}d`,
])('%j is not a duration', text => {
  expect(isDuration(text)).toBe(false);
  expect(() => parseDuration(text)).toThrow(expect.objectContaining({ code: 'INVALID_DURATION' }));
});

test.each(['', '512', 'm', '-1m', '1 m', '5bb', '5bib', '1p', '0x10m', `${'9'.repeat(400)}t`])(
  '%j is not a size',
  text => {
    expect(isSize(text)).toBe(false);
    expect(() => parseSize(text)).toThrow(expect.objectContaining({ code: 'INVALID_SIZE' }));
  },
);

test('every text is a safe number or a CarrelError', () => {
  const text = fc.oneof(
    fc.string(),
    fc.tuple(fc.double(), fc.constantFrom('s', 'm', 'd', 'k', 'g', 't')).map(([n, unit]) => `${n}${unit}`),
  );
  fc.assert(
    fc.property(text, value => {
      for (const parse of [parseDuration, parseSize]) {
        try {
          expect(Number.isSafeInteger(parse(value))).toBe(true);
        } catch (error) {
          if (!isCarrelError(error, 'INVALID_DURATION', 'INVALID_SIZE')) throw error;
        }
      }
    }),
  );
});

test('sizes and durations are shown in the largest unit that fits', () => {
  expect([0, 1023, 1024, 1536, 10_240, 5 * 1024 ** 3].map(formatSize)).toEqual([
    '0 B',
    '1023 B',
    '1.0 KB',
    '1.5 KB',
    '10 KB',
    '5.0 GB',
  ]);
  expect([0, 999, 1000, 90_000, 3_600_000, 90_000_000].map(formatDuration)).toEqual([
    '0ms',
    '999ms',
    '1s',
    '1m',
    '1h',
    '1d',
  ]);
});

test('a limit is printed exactly', () => {
  expect([500, 1500, 60_000, 90_000, 5_400_000, 86_400_000].map(formatLimit)).toEqual([
    '500ms',
    '1500ms',
    '1m',
    '90s',
    '90m',
    '1d',
  ]);
});
