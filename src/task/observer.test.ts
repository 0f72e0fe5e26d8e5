import { expect, test } from 'vitest';
import { safely } from './observer.js';

test('an observer that throws is told of once, and stops nothing', () => {
  const told: string[] = [];
  const seen: string[] = [];
  const guarded = safely(
    {
      onActivity: (stage, activity) => {
        seen.push(`${stage} ${activity}`);
        throw new Error('not today');
      },
    },
    line => told.push(line),
  );
  guarded.onActivity?.('one', 'reads');
  guarded.onActivity?.('one', 'writes');
  guarded.onLine?.({ at: '', stage: null, attempt: 0, stream: 'carrel', text: '' });
  expect(seen).toEqual(['one reads', 'one writes']);
  expect(told).toEqual(['warning: an observer of the task threw: Error: not today']);
});
