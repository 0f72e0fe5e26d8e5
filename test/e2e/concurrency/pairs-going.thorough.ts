import { describe, it } from 'vitest';
import { choosePairs, describePair, listPairs, runPair } from '../../helpers/crash/pairs.js';

const PAIRS = choosePairs(listPairs('down', 'reset', 'gc', 'settle'));

describe('two operations on one workspace lose nothing', { timeout: 180_000 }, () => {
  it.each(PAIRS.map(pair => [describePair(pair), pair] as const))('%s', async (_, pair) => {
    await runPair(pair);
  });
});
