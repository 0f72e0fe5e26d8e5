import { inject, type TestContext, test } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** `npm run test:thorough` says so. */
    isThorough?: boolean;
  }
}

// What is tested in several forms. `npm run test:thorough` finds the files that import this by themselves.

export const isThorough = inject('isThorough') === true;

/** `npm test` takes the first, `npm run test:thorough` the others. */
export function flavours<T>(first: T, ...others: readonly T[]): readonly T[] {
  return isThorough ? others : [first];
}

/** Of cases that are much alike `npm test` takes a sample, `npm run test:thorough` the rest, in their order. */
export function sampleOf<T>(cases: readonly T[], ...sample: readonly NoInfer<T>[]): readonly T[] {
  return cases.filter(one => sample.includes(one) !== isThorough);
}

/** The same where none stands out: `npm test` takes one in six, beginning with the first. */
export function oneInSix<T>(cases: readonly T[]): readonly T[] {
  return cases.filter((_, index) => (index % 6 === 0) !== isThorough);
}

/** A test for `npm run test:thorough` alone: a second form of what `npm test` has in another, or two parts together. */
export const thoroughTest: (
  name: string,
  run: (context: TestContext) => unknown,
  timeoutMs?: number,
) => void = isThorough ? test : () => undefined;
