import { expect, it } from 'vitest';
import { makeCrashSite } from '../../helpers/crash/crash-site.js';
import { runKillCampaign } from '../../helpers/crash/kill-campaign.js';

it.each([
  { runs: 24, seed: 7, kill: 'process' },
  { runs: 16, seed: 11, kill: 'tree' },
] as const)(
  '$runs operations, each killed with its $kill at a random moment, lose nothing and leave nothing behind',
  { timeout: 240_000 },
  async options => {
    const { killed } = await runKillCampaign(makeCrashSite(), options);
    const total = Object.values(killed).reduce((sum, count) => sum + count, 0);
    // On a busy machine more of them are over before they are killed; a few must not be.
    expect(total).toBeGreaterThan(options.runs / 8);
  },
);
