import { expect, test } from 'vitest';
import { runProcess } from '../../exec/run-process.js';
import { watchGrowth } from './growth-watch.js';

/** A disk of 1000 bytes: the free space at each check, and the size of the directories at each measurement. */
function makeDisk(free: readonly number[], used: readonly number[]) {
  const looks = [...free];
  const sizes = [...used];
  let isOver: () => void = () => undefined;
  const end = new Promise<void>(resolve => {
    isOver = resolve;
  });
  const means = {
    free: () => {
      const value = looks.shift();
      if (looks.length === 0) isOver();
      return value ?? (free.at(-1) as number);
    },
    used: async () => sizes.shift() ?? (used.at(-1) as number),
  };
  return { means, end };
}

async function watch(free: readonly number[], used: readonly number[]): Promise<boolean> {
  let isExceeded = false;
  const { means, end } = makeDisk(free, used);
  const exceeded = new Promise<void>(resolve => {
    const watching = watchGrowth(
      runProcess,
      [],
      0.5,
      () => {
        isExceeded = true;
        resolve();
      },
      means,
    );
    void end.then(async () => {
      await watching.stop();
      resolve();
    });
  });
  await exceeded;
  return isExceeded;
}

test('a command that takes more than its share of the free space is stopped', async () => {
  expect(await watch([1000, 900, 700, 450, 450, 450], [300, 550])).toBe(true);
});

test('one that takes less is not', async () => {
  expect(await watch([1000, 900, 700, 600, 600], [300])).toBe(false);
});

test('what another program writes does not count', async () => {
  expect(await watch([1000, 700, 450, 440, 440, 440], [300, 310, 310])).toBe(false);
});
