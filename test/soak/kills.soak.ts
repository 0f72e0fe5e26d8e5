import { expect, it } from 'vitest';
import { makeCrashSite } from '../helpers/crash-site.js';
import { runKillCampaign } from '../helpers/kill-campaign.js';

const SEED = Number(process.env.CARREL_SOAK_SEED ?? 1);

it.each([
  { runs: 130, seed: SEED, kill: 'process' },
  { runs: 130, seed: SEED + 1, kill: 'tree' },
] as const)('$runs random kills of the $kill lose nothing and leave nothing behind', async options => {
  const { killed, finished } = await runKillCampaign(makeCrashSite(), options);
  const total = Object.values(killed).reduce((sum, count) => sum + count, 0);
  process.stdout.write(
    `\nkills of the ${options.kill}: ${total} ${JSON.stringify(killed)}, ended by themselves: ${finished}\n`,
  );
  expect(total).toBeGreaterThan(options.runs / 2);
});
