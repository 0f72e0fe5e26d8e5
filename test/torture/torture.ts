import { expect, test } from 'vitest';
import { runTorture, type TortureOptions } from './run/run-torture.js';

/** What scripts/torture.mjs hands over. */
const options = JSON.parse(process.env.CARREL_TORTURE ?? '{}') as Partial<Omit<TortureOptions, 'say'>>;

test('nothing is lost', async () => {
  const { findings } = await runTorture({
    minutes: options.minutes ?? 2,
    steps: options.steps ?? Number.MAX_SAFE_INTEGER,
    seed: options.seed ?? 1,
    replay: options.replay,
    shrinkMinutes: options.shrinkMinutes ?? 3,
    say: line => void process.stdout.write(`${line}\n`),
  });
  // All of it has been said by now.
  expect(findings.length).toBe(0);
});
