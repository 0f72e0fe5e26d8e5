import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Workspace } from '../../../src/domain/workspace/workspace.js';
import type { Outcome } from '../../helpers/carrel.js';
import { type CrashSite, makeCrashSite } from '../../helpers/crash/crash-site.js';
import { fingerprint } from '../../helpers/fingerprint.js';
import { flavours, thoroughTest } from '../../helpers/flavours.js';
import { findLeftovers } from '../../helpers/leftovers.js';
import { commitFiles, git, gitEnv } from '../../helpers/repository.js';

const upAtOnce = (site: CrashSite, names: readonly string[], ...args: string[]): Promise<Outcome[]> =>
  Promise.all(names.map(name => site.carrel.start(site.repository, 'up', name, '--json', ...args)));

const workspaceOf = (outcome: Outcome): Workspace => {
  expect(outcome, `${outcome.stderr}${outcome.stdout}`).toMatchObject({ status: 0 });
  return JSON.parse(outcome.stdout);
};

const distinct = (values: readonly unknown[]): number => new Set(values).size;

describe('up from many processes at once', () => {
  it.each(flavours(4, 16))(
    'gives %i workspaces that share nothing, and gc takes every trace away',
    async count => {
      const site = makeCrashSite();
      const look = () => ({
        worktrees: git(site.repository, 'worktree', 'list'),
        branches: git(site.repository, 'branch', '--all'),
        user: fingerprint(site.repository),
      });
      const before = look();
      const names = Array.from({ length: count }, (_, index) => `w${index}`);

      const made = (await upAtOnce(site, names)).map(workspaceOf);

      expect(distinct(made.map(({ path }) => path))).toBe(count);
      expect(distinct(made.map(({ branch }) => branch))).toBe(count);
      expect(distinct(made.flatMap(({ ports }) => ports))).toBe(count * 10);
      expect(made.map(({ path }) => git(path, 'status', '--porcelain'))).toEqual(names.map(() => ''));
      expect(site.settle()).toHaveLength(count);
      site.ok('gc', '--older-than', '0s', '--yes');
      expect(site.settle()).toEqual([]);
      expect(look()).toEqual(before);
      expect(readdirSync(site.carrel.cacheDir)).toEqual([]);
    },
  );

  it('with one name lets exactly one have it', async () => {
    const site = makeCrashSite();
    const outcomes = await upAtOnce(
      site,
      Array.from({ length: 8 }, () => 'same'),
    );
    const winners = outcomes.filter(({ status }) => status === 0);
    const losers = outcomes.filter(({ status }) => status !== 0);
    expect(winners).toHaveLength(1);
    expect(losers.map(({ status, stdout }) => ({ status, ...JSON.parse(stdout).error }))).toEqual(
      losers.map(() => expect.objectContaining({ status: 2, code: 'WORKSPACE_EXISTS' })),
    );
    expect(findLeftovers(site)).toEqual([]);
    expect(site.settle()).toMatchObject([{ name: 'same', status: 'ready' }]);
  });

  thoroughTest('with one branch lets exactly one have it', async () => {
    const site = makeCrashSite();
    const outcomes = await upAtOnce(site, ['a', 'b', 'c', 'd'], '--branch', 'carrel/shared');
    const codes = outcomes
      .filter(({ status }) => status !== 0)
      .map(({ stdout }) => JSON.parse(stdout).error.code);
    expect(codes).toHaveLength(3);
    for (const code of codes) expect(['BRANCH_EXISTS', 'BRANCH_CHECKED_OUT']).toContain(code);
    expect(site.settle()).toHaveLength(1);
  });

  thoroughTest('with names that map to one folder gets separate folders, regardless of case', async () => {
    const site = makeCrashSite();
    const names = ['feat/ui', 'feat-ui', 'Feat-UI', 'FEAT/UI', 'feat-uI', 'feAt-ui'];
    const made = (await upAtOnce(site, names)).map(workspaceOf);
    expect(distinct(made.map(({ path }) => path.toLowerCase()))).toBe(names.length);
    expect(site.settle()).toHaveLength(names.length);
  });
});

/**
 * A user of plain git in the same repository, in a loop, in a separate process. Their git may fail, as it
 * does beside another `git worktree remove`: it lists worktrees first and is surprised when one is gone the next moment.
 */
function startUser(site: CrashSite) {
  const script = `
    round=0
    while [ ! -e ${site.carrel.home}/enough ]; do
      round=$((round + 1)); own=${site.carrel.home}/users-own-$round
      git worktree add --quiet --detach $own; git worktree prune --expire=now
      git gc --quiet; git worktree remove --force $own
    done
    rm -rf ${site.carrel.home}/users-own-*; git worktree prune --expire=now
    echo $round`;
  const child = spawn('/bin/sh', ['-c', script], { cwd: site.repository, env: gitEnv() });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', chunk => {
    output.stdout += chunk;
  });
  child.stderr.on('data', chunk => {
    output.stderr += chunk;
  });
  const closed = once(child, 'close');
  onTestFinished(() => void child.kill('SIGKILL'));
  return {
    /** Lets the last round end; gives the number of rounds. */
    stop: async (): Promise<number> => {
      writeFileSync(join(site.carrel.home, 'enough'), '');
      const [status] = await closed;
      expect(status, output.stderr).toBe(0);
      return Number(output.stdout);
    },
  };
}

describe('with other processes', () => {
  thoroughTest('stays intact while the user adds and prunes worktrees and runs git gc', async () => {
    const site = makeCrashSite();
    const user = startUser(site);
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    (await upAtOnce(site, names)).map(workspaceOf);
    const downs = await Promise.all(
      names.map(name => site.carrel.start(site.repository, 'down', name, '--json')),
    );
    expect(downs.map(({ status, stderr }) => ({ status, stderr }))).toEqual(
      names.map(() => ({ status: 0, stderr: expect.any(String) })),
    );
    expect(await user.stop()).toBeGreaterThan(2);
    expect(site.settle()).toEqual([]);
  });

  it('lands two workspaces at once and loses neither', async () => {
    const site = makeCrashSite();
    const names = ['a', 'b', 'c'];
    const commits = names.map(name => commitFiles(site.ok('up', name), { [`${name}.txt`]: `${name}\n` }));

    const outcomes = await Promise.all(
      names.map(name => site.carrel.start(site.repository, 'land', name, '--json')),
    );

    expect(outcomes.map(({ status, stderr }) => ({ status, stderr }))).toEqual(
      names.map(() => ({ status: 0, stderr: expect.any(String) })),
    );
    for (const commit of commits) git(site.repository, 'merge-base', '--is-ancestor', commit, 'main');
    expect(git(site.repository, 'status', '--porcelain')).toBe('');
    expect(names.every(name => readdirSync(site.repository).includes(`${name}.txt`))).toBe(true);
    expect(site.settle()).toEqual([]);
  });

  thoroughTest('takes the lock over from a holder that was killed while others waited for it', async () => {
    const site = makeCrashSite();
    commitFiles(site.ok('up', 'a'), { 'a.txt': 'a\n' });
    const names = ['b', 'c', 'd'];
    const waiting = upAtOnce(site, names);
    site.killAt('land:merged', 'land', 'a');
    (await waiting).map(workspaceOf);
    expect(site.settle()).toHaveLength(4);
    site.ok('land', 'a');
  });
});
