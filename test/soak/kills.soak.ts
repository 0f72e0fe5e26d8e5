import { expect, it } from 'vitest';
import { makeCrashSite } from '../helpers/crash/crash-site.js';
import { runKillCampaign } from '../helpers/crash/kill-campaign.js';
import { SEED, scaled } from './scale.js';

it.each([
  { runs: scaled(130), seed: SEED, kill: 'process' },
  { runs: scaled(130), seed: SEED + 1, kill: 'tree' },
] as const)('$runs random kills of the $kill lose nothing and leave nothing behind', async options => {
  const { killed, finished } = await runKillCampaign(makeCrashSite(), options);
  const total = Object.values(killed).reduce((sum, count) => sum + count, 0);
  process.stdout.write(
    `\nkills of the ${options.kill}: ${total} ${JSON.stringify(killed)}, ended by themselves: ${finished}\n`,
  );
  // How many come in time depends on the machine; one that kills nothing shows nothing.
  expect(total).toBeGreaterThan(0);
});
