import { expect, test } from 'vitest';
import { createCostLedger } from './cost-ledger.js';

const cost = (costUsd: number) => ({ inputTokens: 0, outputTokens: 0, costUsd });

test('more than the limit ends all that run, whoever used it', () => {
  const ledger = createCostLedger(1, cost(0.25));
  ledger.report('a', cost(0.5));
  ledger.close('b', cost(0.25));
  expect(ledger.exceeded.aborted).toBe(false);
  ledger.report('a', cost(0.75));
  expect(ledger.exceeded.aborted).toBe(true);
});
