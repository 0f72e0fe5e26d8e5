import { expect, it } from 'vitest';
import { makeCrashSite } from '../helpers/crash-site.js';
import { runKillCampaign } from '../helpers/kill-campaign.js';

// Many more of them, and with the whole tree of processes, are in crash-random.thorough.ts.
it('8 operations, each killed at a random moment, lose nothing and leave nothing behind', {
  timeout: 240_000,
}, async () => {
  const { killed } = await runKillCampaign(makeCrashSite(), { runs: 8, seed: 7, kill: 'process' });
  // On a busy machine more of them are over before they are killed; a few must not be.
  expect(Object.values(killed).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(1);
});
