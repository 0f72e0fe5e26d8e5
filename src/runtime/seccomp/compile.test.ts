import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runFilter } from '../../../test/helpers/sandbox/filter-machine.js';
import type { Alternative } from './argument-test.js';
import { encodeProgram } from './bpf.js';
import { ACTION, compileFilter, type Span, type Verdict } from './compile.js';

const ARCHITECTURE = 0xc000003e;
const word = fc.integer({ min: 0, max: 0xffffffff });

const someTest = fc
  .record({ argument: fc.integer({ min: 0, max: 5 }), mask: fc.oneof(word, fc.constant(7)), value: word })
  .map(test => ({ ...test, value: (test.value & test.mask) >>> 0 }));

const someVerdict: fc.Arbitrary<Verdict> = fc.oneof(
  fc.constant<Verdict>({ kind: 'allow' }),
  fc.record({
    kind: fc.constant('refuse' as const),
    errno: fc.integer({ min: 1, max: 133 }),
    unless: fc.array(fc.array(someTest, { minLength: 1, maxLength: 4 }), { maxLength: 4 }),
  }),
);

/** More than one short jump could skip. */
const someSpans = fc
  .array(fc.record({ from: fc.integer({ min: 1, max: 600 }), verdict: someVerdict }), {
    maxLength: 300,
    size: 'max',
  })
  .map(spans => [
    { from: 0, verdict: { kind: 'allow' } as const },
    ...[...new Map(spans.map(span => [span.from, span])).values()].sort((a, b) => a.from - b.from),
  ]);

const someArguments = fc.array(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), { minLength: 6, maxLength: 6 });

it('gives every call the verdict of the span that it is in', () => {
  const number = fc.oneof(fc.integer({ min: 0, max: 620 }), word);
  fc.assert(
    fc.property(someSpans, fc.array(fc.tuple(number, someArguments), { minLength: 20 }), (spans, calls) => {
      const program = encodeProgram(compileFilter(ARCHITECTURE, spans));
      for (const [number, args] of calls) {
        const told = runFilter(program, { architecture: ARCHITECTURE, number, args });
        expect(told).toBe(expectedAction(spans, number, args));
      }
    }),
    { numRuns: 50 },
  );
});

it('lets a call through when all tests of one alternative hold, whatever the upper halves are', () => {
  fc.assert(
    fc.property(fc.uniqueArray(someTest, { minLength: 1, selector: test => test.argument }), tests => {
      const verdict: Verdict = { kind: 'refuse', errno: 1, unless: [tests] };
      const args = Array.from({ length: 6 }, () => 0xabcd_0000_0000n);
      for (const { argument, value } of tests) args[argument] = 0xabcd_0000_0000n + BigInt(value);
      const program = encodeProgram(compileFilter(ARCHITECTURE, [{ from: 0, verdict }]));
      expect(runFilter(program, { architecture: ARCHITECTURE, number: 7, args })).toBe(ACTION.allow);
    }),
  );
});

it('kills the process on a call of another architecture, whatever its number means here', () => {
  const program = encodeProgram(compileFilter(ARCHITECTURE, [{ from: 0, verdict: { kind: 'allow' } }]));
  expect(runFilter(program, { architecture: ARCHITECTURE, number: 1 })).toBe(ACTION.allow);
  expect(runFilter(program, { architecture: 0x40000003, number: 1 })).toBe(ACTION.killProcess);
});

it('refuses to compile without a verdict', () => {
  expect(() => compileFilter(ARCHITECTURE, [])).toThrow(RangeError);
});

function expectedAction(spans: readonly Span[], number: number, args: readonly bigint[]): number {
  const verdict = spans.findLast(({ from }) => from <= number)?.verdict;
  if (verdict?.kind !== 'refuse') return ACTION.allow;
  return verdict.unless.some(alternative => holds(alternative, args))
    ? ACTION.allow
    : ACTION.errno + verdict.errno;
}

const holds = (alternative: Alternative, args: readonly bigint[]): boolean =>
  alternative.every(({ argument, mask, value }) => ((args[argument] ?? 0n) & BigInt(mask)) === BigInt(value));
