import { expect, test } from 'vitest';
import { safely } from './task-observer.js';

test('an observer that throws is reported once, and stops nothing', () => {
  const messages: string[] = [];
  const seen: string[] = [];
  const guarded = safely(
    {
      onActivity: (stage, activity) => {
        seen.push(`${stage} ${activity}`);
        throw new Error('not today');
      },
    },
    line => messages.push(line),
  );
  guarded.onActivity?.('one', 'reads');
  guarded.onActivity?.('one', 'writes');
  guarded.onLine?.({ at: '', stage: null, attempt: 0, stream: 'carrel', text: '' });
  expect(seen).toEqual(['one reads', 'one writes']);
  expect(messages).toEqual(['warning: an observer of the task threw: Error: not today']);
});
