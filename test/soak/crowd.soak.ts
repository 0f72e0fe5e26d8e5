import { expect, it } from 'vitest';
import { isHeld, makeCrashSite } from '../helpers/crash/crash-site.js';
import { isKeptBranch, runCrowd } from '../helpers/crash/crowd.js';
import { findLeftovers } from '../helpers/leftovers.js';
import { git } from '../helpers/repository.js';
import { SEED, scaled } from './scale.js';

it('eight people at once on the same few workspaces lose no commit', async () => {
  const site = makeCrashSite();
  const names = ['a', 'b', 'c', 'd', 'e'];
  const { ends, commits, oddities } = await runCrowd(site, {
    workers: 8,
    names,
    seed: SEED,
    forMs: scaled(60_000),
  });
  process.stdout.write(`\n${commits.length} commits; ${JSON.stringify(ends, null, 1)}\n`);
  expect(oddities).toEqual([]);
  expect(findLeftovers(site).filter(line => !isKeptBranch(site.repository, line))).toEqual([]);
  for (const commit of commits) expect(isHeld(site.repository, commit), commit).toBe(true);
  expect(git(site.repository, 'status', '--porcelain')).toBe('');
});
