import { describe, it } from 'vitest';
import { describePair, type Pair, runPair } from '../../helpers/crash/pairs.js';

/** A sample; all of them are in the thorough suite. */
const PAIRS: readonly Pair[] = [
  { first: 'snapshot', step: 'recorded', second: 'down', secondStep: 'set-aside' },
  { first: 'down', step: 'set-aside', second: 'restore' },
  { first: 'reset', step: 'cleared', second: 'snapshot' },
  { first: 'snapshot', step: 'recorded', second: 'reset', secondStep: 'set-aside' },
  { first: 'land', step: 'merged', second: 'down' },
  { first: 'settle', step: 'remove', second: 'restore' },
];

describe('two operations on one workspace lose nothing', { timeout: 180_000 }, () => {
  it.each(PAIRS.map(pair => [describePair(pair), pair] as const))('%s', async (_, pair) => {
    await runPair(pair);
  });
});
