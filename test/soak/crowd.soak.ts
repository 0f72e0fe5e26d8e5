import { expect, it } from 'vitest';
import { isHeld, makeCrashSite } from '../helpers/crash-site.js';
import { isKeptBranch, runCrowd } from '../helpers/crowd.js';
import { findLeftovers } from '../helpers/leftovers.js';
import { git } from '../helpers/repository.js';

const SEED = Number(process.env.CARREL_SOAK_SEED ?? 1);

it('eight people at once on the same few workspaces lose no commit in a minute', async () => {
  const site = makeCrashSite();
  const names = ['a', 'b', 'c', 'd', 'e'];
  const { ends, commits, oddities } = await runCrowd(site, { workers: 8, names, seed: SEED, forMs: 60_000 });
  process.stdout.write(`\n${commits.length} commits; ${JSON.stringify(ends, null, 1)}\n`);
  expect(oddities).toEqual([]);
  expect(findLeftovers(site).filter(line => !isKeptBranch(site.repository, line))).toEqual([]);
  for (const commit of commits) expect(isHeld(site.repository, commit), commit).toBe(true);
  expect(git(site.repository, 'status', '--porcelain')).toBe('');
});
