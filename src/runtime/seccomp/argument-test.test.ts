import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isNoneOf } from './argument-test.js';

it('lets every value through but the given ones', () => {
  const word = fc.oneof(fc.integer({ min: 0, max: 0xffffffff }), fc.integer({ min: 0x5400, max: 0x5430 }));
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 4 }), word, (refused, asked) => {
      const letThrough = (value: number): boolean =>
        isNoneOf(1, refused).some(tests =>
          tests.every(({ mask, value: wanted }) => (value & mask) >>> 0 === wanted),
        );
      expect(letThrough(asked)).toBe(!refused.includes(asked));
      for (const value of refused) expect(letThrough(value)).toBe(false);
    }),
  );
});
