import { describe, it } from 'vitest';
import { choosePairs, describePair, listCrossings, listPairs, runPair } from '../../helpers/crash/pairs.js';

const PAIRS = choosePairs([
  ...listPairs('snapshot', 'land', 'exec'),
  ...listCrossings('snapshot', 'down'),
  ...listCrossings('snapshot', 'land'),
]);

describe('two operations on one workspace lose nothing', { timeout: 180_000 }, () => {
  it.each(PAIRS.map(pair => [describePair(pair), pair] as const))('%s', async (_, pair) => {
    await runPair(pair);
  });
});
