import { describe, it } from 'vitest';
import { describePair, type Pair, runPair } from '../../helpers/crash/pairs.js';
import { flavours } from '../../helpers/flavours.js';

/** Two samples; pairs.thorough.ts goes through the others. */
const PAIRS = flavours<readonly Pair[]>(
  [
    { first: 'snapshot', step: 'recorded', second: 'down', secondStep: 'set-aside' },
    { first: 'down', step: 'set-aside', second: 'restore' },
    { first: 'land', step: 'merged', second: 'down' },
  ],
  [
    { first: 'reset', step: 'cleared', second: 'snapshot' },
    { first: 'snapshot', step: 'recorded', second: 'reset', secondStep: 'set-aside' },
    { first: 'settle', step: 'remove', second: 'restore' },
  ],
).flat();

describe('two operations on one workspace lose nothing', { timeout: 180_000 }, () => {
  it.each(PAIRS.map(pair => [describePair(pair), pair] as const))('%s', async (_, pair) => {
    await runPair(pair);
  });
});
