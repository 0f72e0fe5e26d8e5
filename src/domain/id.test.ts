import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createId } from './id.js';

const at = (now: number, random = 0) => createId('ws', { now: () => now, random: () => random });

test('an id is a prefix and sixteen characters that are safe everywhere', () => {
  const id = createId('snap', { now: () => Date.UTC(2026, 0, 1), random: limit => limit - 1 });
  expect(id).toMatchInlineSnapshot(`"snap_cvevdag0zzzzzzzz"`);
  expect(id).toMatch(/^snap_[0-9a-hjkmnp-tv-z]{16}$/);
});

test('ids sort by time until the year 2109', () => {
  const instant = fc.integer({ min: 0, max: Date.UTC(2109, 0, 1) });
  fc.assert(
    fc.property(instant, instant, (a, b) => {
      const [earlier, later] = [Math.min(a, b), Math.max(a, b)];
      // Units of 4 ms: the order within one unit is random.
      fc.pre(later - earlier >= 4);
      return at(earlier, 31) < at(later, 0);
    }),
  );
});

test('ids created at the same moment differ', () => {
  expect(at(1000, 1)).not.toBe(at(1000, 2));
});
