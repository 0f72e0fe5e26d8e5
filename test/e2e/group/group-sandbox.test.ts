import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { LandResult, RemovalResult } from '../../../src/domain/report/result.js';
import type { Workspace, WorkspaceDetails } from '../../../src/domain/workspace/workspace.js';
import { isHeld } from '../../helpers/crash/crash-site.js';
import { thoroughTest } from '../../helpers/flavours.js';
import { type Alias, type GroupSite, makeGroupSite } from '../../helpers/group/group-site.js';
import { git, writeFiles } from '../../helpers/repository.js';
import { pathWithout } from '../../helpers/sandbox/sandboxed.js';
import { waitFor } from '../../helpers/wait-for.js';
import { requireBubblewrap } from '../../parts/bubblewrap.js';

const UP = ['up', 'login', '--isolation', 'full', '--strict', '--with-repository', '../web'];

interface SandboxSite extends GroupSite {
  readonly parts: Readonly<Record<'app' | 'web', string>>;
  /** A script inside, in the part of a repository; returns what it prints. */
  inside(script: string, alias?: Alias): string;
}

function makeSandboxSite(...more: string[]): SandboxSite {
  const site = makeGroupSite();
  const made = site.carrel.json<Workspace>(site.repositories.app, ...UP, ...more);
  const pathOf = (alias: string) => made.repositories?.find(part => part.alias === alias)?.path as string;
  return { ...site, parts: { app: pathOf('app'), web: pathOf('web') }, inside: insideOf(site) };
}

const insideOf =
  ({ carrel, repositories }: GroupSite) =>
  (script: string, alias: Alias = 'app') =>
    carrel.ok(repositories[alias], 'exec', 'login', '--', 'sh', '-ec', script);

const commitIn = (path: string, name: string): string =>
  `cd ${path}; echo ${name} > ${name}.txt; git add .; git commit -qm ${name}; `;

test('one sandbox holds all repositories, and what is committed inside comes to the branch of each', context => {
  requireBubblewrap(context);
  const { carrel, repositories, ok, parts, inside, tips, settle } = makeSandboxSite();
  const before = tips();
  const found = JSON.parse(inside('echo "$CARREL_REPOSITORIES"'));
  expect(found).toEqual(parts);
  expect(inside('pwd; echo "$CARREL_REPOSITORY"', 'web')).toBe(`${parts.web}\n${repositories.web}`);
  inside(commitIn(parts.app, 'one') + commitIn(parts.web, 'two'));
  inside(`${commitIn(parts.app, 'three')}git -C ${parts.web} log --format=%s > ~/seen`, 'web');
  expect(inside('cat ~/seen')).toBe('two\nfirst');
  const subjects = (alias: Alias) => git(repositories[alias], 'log', '--format=%s', 'carrel/login');
  expect([subjects('app'), subjects('web')]).toEqual(['three\none\nfirst', 'two\nfirst']);
  // Nothing of the user's own checkouts is inside, and nothing there changes.
  expect(inside(`ls ${repositories.web} 2>/dev/null || echo hidden`)).toBe('hidden');
  expect(tips()).toEqual(before);
  inside(`echo loose > ${parts.web}/loose.txt; git -C ${parts.web} init -q nested`);
  expect(existsSync(join(parts.web, 'nested/.git/HEAD'))).toBe(false);
  expect(inside(`git -C ${parts.web}/nested status --short --branch`)).toContain('No commits yet');
  expect(ok('diff', 'login', '--name-only').split('\n').toSorted()).toEqual(
    ['app/one.txt', 'app/three.txt', 'web/loose.txt', 'web/two.txt'].toSorted(),
  );
  expect(carrel.error(repositories.app, 'down', 'login')).toMatchObject({ code: 'REMOVAL_REFUSED' });
  inside(`rm -rf ${parts.web}/nested`, 'web');
  const landed = carrel.json<LandResult>(repositories.web, 'land', 'login', '-m', 'All of it');
  expect(landed.repositories?.map(({ alias }) => alias)).toEqual(['app', 'web']);
  expect(readFileSync(join(repositories.web, 'loose.txt'), 'utf8')).toBe('loose\n');
  expect(existsSync(join(repositories.app, 'three.txt'))).toBe(true);
  expect(settle()).toEqual([]);
});

thoroughTest('a removed workspace is restored with the private git of each repository', context => {
  requireBubblewrap(context);
  const { carrel, repositories, ok, parts, inside, settle } = makeSandboxSite();
  inside(
    `${commitIn(parts.web, 'two')}echo later > two.txt; git stash -q; git switch -qc other; echo x > ~/kept`,
  );
  const { snapshot } = carrel.json<RemovalResult>(
    repositories.app,
    'down',
    'login',
    '--discard-changes',
    '--discard-commits',
  );
  expect(settle()).toEqual([]);
  const restored = carrel.json<Workspace>(repositories.web, 'restore', String(snapshot));
  expect(restored).toMatchObject({ isolation: { effective: 'full' }, repositories: [{}, {}] });
  expect(inside(`cat ~/kept; cd ${parts.web}; git branch --show-current; git stash show -p`)).toMatch(
    /^x\nother\n[\s\S]*\+later$/,
  );
  expect(inside(`cd ${parts.app}; git log --format=%s`)).toBe('first');
  ok('down', 'login', '--discard-changes', '--discard-commits');
});

thoroughTest('a reset returns all repositories to their bases, with a new private git in each', context => {
  requireBubblewrap(context);
  const { carrel, repositories, ok, parts, inside, settle } = makeSandboxSite();
  inside(`${commitIn(parts.app, 'one')}${commitIn(parts.web, 'two')}git switch -qc other; echo x > ~/kept`);
  ok('reset', 'login', '--discard-changes', '--discard-commits');
  const branches = (path: string) => `git -C ${path} branch --format='%(refname:short)'; `;
  expect(inside(branches(parts.app) + branches(parts.web))).toBe('carrel/login\ncarrel/login');
  expect(inside(`ls ~; ls ${parts.web}`)).toBe('README.md');
  inside(commitIn(parts.web, 'again'), 'web');
  expect(git(repositories.web, 'log', '-1', '--format=%s', 'carrel/login')).toBe('again');
  const [snapshot] = carrel.json<{ id: string }[]>(repositories.web, 'snapshots', 'login');
  ok('down', 'login', '--discard-commits');
  carrel.json(repositories.web, 'restore', String(snapshot?.id));
  expect(inside(`cat ~/kept; git -C ${parts.web} branch --show-current`)).toBe('x\nother');
  ok('down', 'login', '--discard-changes', '--discard-commits');
  expect(settle()).toEqual([]);
});

thoroughTest('with sandbox.git: surgical, git of each repository works inside', context => {
  requireBubblewrap(context);
  const site = makeGroupSite();
  writeFiles(site.carrel.home, { 'config/carrel/config.yaml': 'sandbox: {git: surgical}\n' });
  const made = site.carrel.json<Workspace>(site.repositories.app, ...UP);
  const [app, web] = (made.repositories ?? []).map(({ path }) => path) as [string, string];
  const inside = insideOf(site);
  inside(commitIn(app, 'one') + commitIn(web, 'two'));
  expect(git(site.repositories.web, 'log', '-1', '--format=%s', 'carrel/login')).toBe('two');
  for (const path of [site.repositories.web, `${site.repositories.web}/.git/config`, `${web}/.git`])
    expect(inside(`test -w ${path} && echo writable || echo no`)).toBe('no');
  site.ok('land', 'login');
  expect(existsSync(join(site.repositories.web, 'two.txt'))).toBe(true);
  expect(site.settle()).toEqual([]);
});

thoroughTest('without a sandbox all parts are worktrees, and with --strict nothing is created', () => {
  const site = makeGroupSite({ PATH: pathWithout('bwrap', 'podman', 'docker') });
  const [command, name, , , , ...rest] = UP as [string, string, string, string, string, ...string[]];
  expect(site.carrel.error(site.repositories.app, ...UP)).toMatchObject({ code: 'ISOLATION_UNAVAILABLE' });
  expect(site.settle()).toEqual([]);
  const config = 'isolation: {default: full, onUnavailable: degrade}\n';
  writeFiles(site.carrel.home, { 'config/carrel/config.yaml': config });
  const made = site.carrel.json<Workspace>(site.repositories.app, command, name, ...rest);
  expect(made).toMatchObject({ isolation: { requested: 'full', effective: 'worktree' } });
  const all = site.carrel.json<WorkspaceDetails[]>(site.repositories.app, 'ls', '--all');
  expect(all.map(({ isolation }) => isolation.effective)).toEqual(['worktree', 'worktree']);
});

thoroughTest('a command in one repository keeps all of them from being removed', async context => {
  requireBubblewrap(context);
  const { carrel, repositories, ok, parts, settle } = makeSandboxSite();
  const script = `touch ${parts.web}/begun; while [ ! -e ${parts.web}/done ]; do sleep 0.1; done`;
  const running = carrel.start(repositories.app, 'exec', 'login', '--', 'sh', '-c', script);
  await waitFor('the command to begin', () => existsSync(join(parts.web, 'begun')) || undefined);
  const refused = carrel.error(repositories.web, 'down', 'login', '--discard-changes');
  expect(refused).toMatchObject({
    code: 'REMOVAL_REFUSED',
    message: expect.stringContaining('web: 1 running'),
  });
  carrel.ok(repositories.web, 'snapshot', 'login');
  writeFileSync(join(parts.web, 'done'), '');
  expect((await running).status).toBe(0);
  ok('down', 'login', '--discard-changes');
  expect(settle()).toEqual([]);
});

thoroughTest(
  'settings that work with one repository only are refused before anything is created',
  context => {
    requireBubblewrap(context);
    const site = makeGroupSite();
    for (const config of ['hooks: show', 'nested: allow']) {
      writeFiles(site.carrel.home, { 'config/carrel/config.yaml': `sandbox: {${config}}\n` });
      expect(site.carrel.error(site.repositories.app, ...UP)).toMatchObject({ code: 'GROUP_NOT_POSSIBLE' });
    }
    expect(site.settle()).toEqual([]);
  },
);

const KILLS = [
  'up:populated',
  'up:populated#2',
  'up:prepared#2',
  'down:captured',
  'down:set-aside#2',
] as const;
for (const moment of [...KILLS, 'down:unregistered', 'reset:set-aside#2', 'reset:cleared#2'] as const)
  thoroughTest(`a kill at ${moment} leaves all parts or none, and no work is lost`, context => {
    requireBubblewrap(context);
    const site = makeGroupSite();
    const [operation] = moment.split(':') as ['up' | 'down' | 'reset'];
    const up = () => site.carrel.json<Workspace>(site.repositories.app, ...UP);
    if (operation === 'up') {
      const { signal } = site.carrel.runWith({ CARREL_TEST_KILL_AT: moment }, site.repositories.app, ...UP);
      expect(signal).toBe('SIGKILL');
      expect(site.settle()).toEqual([]);
      up();
      expect(site.settle()).toHaveLength(2);
      return;
    }
    const web = up().repositories?.[1]?.path as string;
    insideOf(site)(commitIn(web, 'two'));
    const commit = git(site.repositories.web, 'rev-parse', 'carrel/login');
    site.killAt(moment, operation, 'login', '--discard-changes', '--discard-commits');
    const left = site.settle();
    expect([0, 2]).toContain(left.length);
    expect(isHeld(site.repositories.web, commit)).toBe(true);
    if (left.length === 0) site.carrel.json(site.repositories.app, 'restore', 'login');
    expect(insideOf(site)(`git -C ${web} status --short --branch`)).toContain('carrel/login');
    site.ok('down', 'login', '--discard-changes', '--discard-commits');
    expect(site.settle()).toEqual([]);
  });
