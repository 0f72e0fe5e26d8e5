import { expect, it } from 'vitest';
import { isHeld, makeCrashSite } from '../../helpers/crash/crash-site.js';
import { isKeptBranch, runCrowd } from '../../helpers/crash/crowd.js';
import { findLeftovers } from '../../helpers/leftovers.js';
import { git } from '../../helpers/repository.js';

it('six concurrent users who create, use, land and remove the same workspaces lose no commit', async () => {
  const site = makeCrashSite();
  const report = await runCrowd(site, { workers: 6, names: ['a', 'b', 'c', 'd'], seed: 5, forMs: 6000 });
  expect(report.oddities).toEqual([]);
  expect(findLeftovers(site).filter(line => !isKeptBranch(site.repository, line))).toEqual([]);
  for (const commit of report.commits) expect(isHeld(site.repository, commit), commit).toBe(true);
  expect(git(site.repository, 'status', '--porcelain')).toBe('');
});
