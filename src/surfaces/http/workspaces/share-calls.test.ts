import { expect, test } from 'vitest';
import { shareCalls } from './share-calls.js';

test('calls during a running call share the next one, and a failure does not block later calls', async () => {
  const waiting: ((failure?: Error) => void)[] = [];
  const begun: string[] = [];
  const call = shareCalls(
    (key: string) =>
      new Promise<number>((resolve, reject) => {
        begun.push(key);
        const number = begun.length;
        waiting.push(failure => (failure ? reject(failure) : resolve(number)));
      }),
  );
  const first = call('a');
  const [second, third] = [call('a'), call('a')];
  const other = call('b');
  expect(begun).toEqual(['a', 'b']);
  waiting[0]?.(new Error('no'));
  waiting[1]?.();
  await expect(first).rejects.toThrow('no');
  expect(await other).toBe(2);
  await expect.poll(() => begun).toEqual(['a', 'b', 'a']);
  waiting[2]?.();
  expect(await Promise.all([second, third])).toEqual([3, 3]);
  const fourth = call('a');
  waiting[3]?.();
  expect(await fourth).toBe(4);
});
