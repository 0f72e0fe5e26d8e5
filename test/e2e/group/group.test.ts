import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { openApp } from '../../../src/app.js';
import type { LandResult, RemovalResult } from '../../../src/domain/report/result.js';
import type { Workspace } from '../../../src/domain/workspace/workspace.js';
import { landWorkspace } from '../../../src/operations/workspace/land.js';
import { hashFiles, isHeld } from '../../helpers/crash/crash-site.js';
import { flavours, thoroughTest } from '../../helpers/flavours.js';
import { ALIASES, makeGroupSite } from '../../helpers/group/group-site.js';
import { commitFiles, git, gitEnv, writeFiles } from '../../helpers/repository.js';
import { tempDir } from '../../helpers/temp.js';

test('one name and one branch in every repository, and commands find the other parts', () => {
  const { carrel, repositories, ok, up, fingerprints, settle } = makeGroupSite();
  const before = fingerprints();
  const parts = up();
  for (const alias of ALIASES) expect(git(parts[alias], 'branch', '--show-current')).toBe('carrel/login');
  const shown = carrel.json<Workspace>(repositories.app, 'show', 'login');
  expect(
    shown.repositories?.map(({ alias, repository, path, branch }) => [alias, repository, path, branch]),
  ).toEqual(ALIASES.map(alias => [alias, repositories[alias], parts[alias], 'carrel/login']));
  const listed = carrel.json<Workspace[]>(repositories.web, 'ls');
  expect(listed).toMatchObject([{ name: 'login', path: parts.web, repositories: shown.repositories }]);
  expect(JSON.parse(ok('exec', 'login', '--', 'sh', '-c', 'echo "$CARREL_REPOSITORIES"'))).toEqual(parts);
  expect(carrel.ok(repositories.web, 'path', 'login')).toBe(parts.web);
  ok('down', 'login');
  expect(settle()).toEqual([]);
  expect(fingerprints()).toEqual(before);
});

type Obstacle = readonly [string, (web: string, ok: (...args: string[]) => string) => string, string];

const OBSTACLES = flavours<Obstacle>(
  ['a branch of that name', web => git(web, 'branch', 'carrel/login'), 'BRANCH_EXISTS'],
  ['a workspace of that name', (web, ok) => ok('up', 'login', '-R', web), 'WORKSPACE_EXISTS'],
);

test.each(OBSTACLES)('nothing is created when another repository has %s', (_, disturb, code) => {
  const { carrel, repositories, ok, fingerprints } = makeGroupSite();
  disturb(repositories.web, ok);
  const before = fingerprints();
  expect(
    carrel.error(
      repositories.app,
      'up',
      'login',
      '--with-repository',
      '../api',
      '--with-repository',
      '../web',
    ),
  ).toMatchObject({ code });
  expect(carrel.json(repositories.app, 'ls')).toEqual([]);
  expect(carrel.json(repositories.api, 'ls')).toEqual([]);
  expect(git(repositories.api, 'branch', '--list', 'carrel/*')).toBe('');
  expect(fingerprints()).toEqual(before);
});

thoroughTest('a setup command that fails in the last repository removes all of them', () => {
  const { carrel, repositories, settle } = makeGroupSite();
  mkdirSync(join(repositories.app, '.carrel'));
  writeFileSync(join(repositories.app, '.carrel/config.yaml'), 'workspace:\n  setup: [exit 7]\n');
  const given = ['up', 'login', '--trust', '--with-repository', '../web', '--with-repository', '../api'];
  expect(carrel.error(repositories.app, ...given)).toMatchObject({ code: 'SETUP_FAILED' });
  rmSync(join(repositories.app, '.carrel'), { recursive: true });
  expect(settle()).toEqual([]);
});

test('a shared directory, a plain copy, the same repository twice and a taken alias are refused before anything is created', () => {
  const { carrel, repositories, settle } = makeGroupSite();
  const refused = (...args: string[]) => carrel.error(repositories.app, 'up', 'login', ...args);
  const web = ['--with-repository', '../web'];
  expect(refused(...web, '--isolation', 'shared')).toMatchObject({
    code: 'GROUP_NOT_POSSIBLE',
    status: 2,
    hint: expect.stringContaining('--isolation worktree'),
  });
  expect(refused(...web, '--copy', '.')).toMatchObject({ code: 'GROUP_NOT_POSSIBLE' });
  expect(refused(...web, '--with-repository', 'other=../web')).toMatchObject({ code: 'GROUP_NOT_POSSIBLE' });
  expect(refused('--with-repository', '.')).toMatchObject({ code: 'GROUP_NOT_POSSIBLE' });
  expect(refused(...web, '--with-repository', 'web=../api')).toMatchObject({ code: 'INVALID_INPUT' });
  expect(refused('--with-repository', 'app=../api')).toMatchObject({ code: 'GROUP_NOT_POSSIBLE' });
  expect(refused('--with-repository', '../missing')).toMatchObject({ status: expect.any(Number) });
  expect(settle()).toEqual([]);
});

thoroughTest('repositories in a template of the repository need the approval of the user', () => {
  const { carrel, repositories, ok, settle } = makeGroupSite();
  const config = join(repositories.app, '.carrel/config.yaml');
  mkdirSync(dirname(config));
  const template = (path: string) =>
    writeFileSync(
      config,
      `templates:\n  all:\n    repositories:\n      web: ${path}\n      back: {path: ../api, base: main}\n`,
    );
  template('../web');
  const refused = () => carrel.error(repositories.app, 'up', 'login', '--template', 'all');
  expect(refused()).toMatchObject({ code: 'REPOSITORIES_NOT_TRUSTED', status: 3 });
  expect(carrel.json(repositories.app, 'trust', '--list')).toMatchObject({
    trusted: false,
    commands: [
      `create workspaces in the repository ${repositories.web} (web)`,
      `create workspaces in the repository ${repositories.api} (back)`,
    ],
  });
  ok('trust', '--yes');
  const made = carrel.json<Workspace>(repositories.app, 'up', 'login', '--template', 'all');
  expect(made.repositories?.map(({ alias }) => alias)).toEqual(['app', 'web', 'back']);
  ok('down', 'login');
  // What an agent lands must not lead an approval elsewhere.
  renameSync(repositories.web, `${repositories.web}-elsewhere`);
  execFileSync('ln', ['-s', `${repositories.web}-elsewhere`, repositories.web]);
  expect(refused()).toMatchObject({ code: 'REPOSITORIES_NOT_TRUSTED' });
  rmSync(repositories.web);
  renameSync(`${repositories.web}-elsewhere`, repositories.web);
  template('../other');
  expect(refused()).toMatchObject({ code: 'REPOSITORIES_NOT_TRUSTED' });
  rmSync(dirname(config), { recursive: true });
  expect(settle()).toEqual([]);
});

thoroughTest('repositories in a template of the user need no approval', () => {
  const { carrel, repositories, settle, ok } = makeGroupSite();
  mkdirSync(join(carrel.home, 'config/carrel'), { recursive: true });
  writeFileSync(
    join(carrel.home, 'config/carrel/config.yaml'),
    'templates:\n  both:\n    repositories: [../web]\n',
  );
  const made = carrel.json<Workspace>(repositories.app, 'up', 'login', '--template', 'both');
  expect(made.repositories?.map(({ alias }) => alias)).toEqual(['app', 'web']);
  ok('down', 'login');
  expect(settle()).toEqual([]);
});

thoroughTest('the diff of all repositories is one patch, in directories named after them', () => {
  const { ok, up, repositories } = makeGroupSite();
  const parts = up();
  writeFiles(parts.app, { 'new.txt': 'new\n' });
  commitFiles(parts.web, { 'README.md': 'changed\n' });
  git(parts.api, 'mv', 'README.md', 'MOVED.md');
  expect(ok('diff', 'login', '--name-only').split('\n')).toEqual([
    'app/new.txt',
    'web/README.md',
    'api/MOVED.md',
  ]);
  expect(ok('diff', 'login', '--stat')).toContain('api/{README.md => MOVED.md}');
  const target = tempDir();
  for (const alias of ALIASES) git(target, 'clone', '--quiet', repositories[alias], alias);
  const patch = ok('diff', 'login');
  execFileSync('git', ['apply', '-'], { cwd: target, env: gitEnv(), input: `${patch}\n` });
  for (const alias of ALIASES) {
    chmodSync(join(target, alias), 0o700);
    expect(hashFiles(join(target, alias))).toBe(hashFiles(parts[alias]));
  }
});

test('lands in every repository that has commits, and removes all parts', () => {
  const { carrel, repositories, up, settle, tips } = makeGroupSite();
  const parts = up();
  const app = commitFiles(parts.app, { 'new.txt': 'new\n' });
  writeFiles(parts.web, { 'README.md': 'changed\n' });
  const before = tips();
  expect(carrel.error(repositories.app, 'land', 'login')).toMatchObject({
    code: 'LAND_UNCOMMITTED',
    details: { files: ['web/README.md'] },
  });
  expect(tips()).toEqual(before);
  const landed = carrel.json<LandResult>(repositories.app, 'land', 'login', '-m', 'all of it');
  expect(landed).toMatchObject({
    name: 'login',
    into: 'main',
    after: app,
    commits: 2,
    repositories: [
      { alias: 'app', after: app, commits: 1 },
      { alias: 'web', before: before.web, commits: 1 },
    ],
    removed: { repositories: [{ alias: 'app' }, { alias: 'web' }, { alias: 'api' }] },
  });
  expect(tips()).toEqual({ app, web: landed.repositories?.[1]?.after, api: before.api });
  expect(readFileSync(join(repositories.web, 'README.md'), 'utf8')).toBe('changed\n');
  for (const alias of ALIASES) expect(git(repositories[alias], 'status', '--porcelain')).toBe('');
  expect(settle()).toEqual([]);
});

test('a conflict or a dirty checkout in the second repository leaves the first untouched', () => {
  const { carrel, repositories, ok, up, settle, fingerprints, tips } = makeGroupSite();
  const parts = up();
  commitFiles(parts.app, { 'new.txt': 'new\n' });
  commitFiles(parts.web, { 'README.md': 'of the workspace\n' });
  commitFiles(repositories.web, { 'README.md': 'of the user\n' });
  const before = fingerprints();
  expect(carrel.error(repositories.app, 'land', 'login')).toMatchObject({
    code: 'LAND_CONFLICT',
    details: { files: ['web/README.md'] },
  });
  expect(fingerprints()).toEqual(before);
  git(repositories.web, 'reset', '--quiet', '--hard', 'HEAD^');
  writeFiles(repositories.web, { 'README.md': 'not committed\n' });
  const dirty = fingerprints();
  expect(carrel.error(repositories.app, 'land', 'login')).toMatchObject({ code: 'LAND_CHECKOUT_DIRTY' });
  expect(fingerprints()).toEqual(dirty);
  expect(settle()).toHaveLength(3);
  git(repositories.web, 'checkout', '--quiet', '.');
  const { app, web } = tips();
  ok('land', 'login');
  expect(tips().app).not.toBe(app);
  expect(tips().web).not.toBe(web);
});

thoroughTest('a checkout that becomes dirty during the landing moves the branches back', async () => {
  const { carrel, repositories, up, settle, tips } = makeGroupSite();
  const parts = up();
  for (const alias of ALIASES) commitFiles(parts[alias], { 'README.md': `new ${alias}\n` });
  const before = tips();
  const app = await openApp({
    environment: carrel.env,
    cwd: repositories.app,
    narrate: () => {},
    // After the branch of the first repository has moved.
    onStep: (operation, step) => {
      if (operation === 'land' && step === 'moved') writeFiles(repositories.web, { 'README.md': 'mine\n' });
    },
  });
  const landing = landWorkspace(app, { repository: repositories.app, name: 'login' });
  await expect(landing).rejects.toMatchObject({ code: 'LAND_CHECKOUT_DIRTY' });
  await app.close();
  expect(tips()).toEqual(before);
  expect(ALIASES.map(alias => git(repositories[alias], 'status', '--porcelain'))).toEqual([
    '',
    ' M README.md',
    '',
  ]);
  expect(readFileSync(join(repositories.web, 'README.md'), 'utf8')).toBe('mine\n');
  expect(settle()).toHaveLength(3);
});

thoroughTest('of two landings at once, one lands everything', async () => {
  const { carrel, repositories, up, settle, tips } = makeGroupSite();
  const parts = up();
  const commits = [
    commitFiles(parts.app, { 'new.txt': '1\n' }),
    commitFiles(parts.web, { 'new.txt': '2\n' }),
  ];
  const outcomes = await Promise.all([1, 2].map(() => carrel.start(repositories.app, 'land', 'login')));
  expect(outcomes.map(({ status }) => status).filter(status => status === 0)).toHaveLength(1);
  expect([tips().app, tips().web]).toEqual(commits);
  carrel.run(repositories.app, 'down', 'login');
  expect(settle()).toEqual([]);
});

test('the risks of all repositories are refused together, and everything is restored together', () => {
  const { carrel, repositories, ok, up, settle, fingerprints } = makeGroupSite();
  const before = fingerprints();
  const parts = up();
  const commit = commitFiles(parts.app, { 'new.txt': 'new\n' });
  writeFiles(parts.web, { 'draft.txt': 'draft\n', 'kept.log': 'ignored\n' });
  const hashes = ALIASES.map(alias => hashFiles(parts[alias]));
  const refused = carrel.error(repositories.app, 'down', 'login');
  expect(refused).toMatchObject({ code: 'REMOVAL_REFUSED', status: 3 });
  const messages = (refused.details.risks as { message: string }[]).map(
    ({ message }) => message.split(':')[0],
  );
  expect([...new Set(messages)].sort()).toEqual(['app', 'web']);
  expect(ALIASES.map(alias => hashFiles(parts[alias]))).toEqual(hashes);
  const removed = carrel.json<RemovalResult>(
    repositories.web,
    'down',
    'login',
    '--discard-changes',
    '--discard-commits',
  );
  expect(removed.repositories?.map(({ alias }) => alias)).toEqual([...ALIASES]);
  expect(settle()).toEqual([]);
  expect(isHeld(repositories.app, commit)).toBe(true);
  expect(fingerprints()).toEqual(before);
  const restored = carrel.json<Workspace>(repositories.app, 'restore', 'login');
  expect(restored.repositories?.map(({ path }) => path)).toEqual(ALIASES.map(alias => parts[alias]));
  expect(ALIASES.map(alias => hashFiles(parts[alias]))).toEqual(hashes);
  expect(git(parts.app, 'rev-parse', 'carrel/login')).toBe(commit);
  expect(settle()).toHaveLength(3);
  // The restored parts belong together again.
  ok('down', 'login', '--discard-changes', '--discard-commits');
  expect(settle()).toEqual([]);
});

thoroughTest('reset, snapshot and rename work on all parts', () => {
  const { carrel, repositories, ok, up, settle } = makeGroupSite();
  const parts = up();
  writeFiles(parts.app, { 'draft.txt': 'app\n' });
  writeFiles(parts.web, { 'draft.txt': 'web\n' });
  const snapshot = ok('snapshot', 'login', '-m', 'both');
  ok('rename', 'login', 'other');
  expect(carrel.ok(repositories.web, 'path', 'other')).toBe(parts.web);
  expect(carrel.error(repositories.app, 'reset', 'other')).toMatchObject({ code: 'RESET_REFUSED' });
  expect(existsSync(join(parts.app, 'draft.txt'))).toBe(true);
  const reset = carrel.json<{ repositories: unknown[] }>(
    repositories.app,
    'reset',
    'other',
    '--discard-changes',
  );
  expect(reset.repositories).toHaveLength(3);
  for (const alias of ALIASES) expect(git(parts[alias], 'status', '--porcelain')).toBe('');
  const copy = carrel.json<Workspace>(repositories.app, 'restore', snapshot, '--as', 'copy');
  const drafts = copy.repositories?.map(({ path }) => join(path, 'draft.txt')).filter(existsSync);
  expect(drafts?.map(path => readFileSync(path, 'utf8'))).toEqual(['app\n', 'web\n']);
  expect(settle()).toHaveLength(6);
});

thoroughTest(
  'a repository that is gone is reported in the row of the workspace, which can be removed and restored',
  () => {
    const { carrel, repositories, ok, up } = makeGroupSite();
    const parts = up();
    writeFiles(parts.app, { 'draft.txt': 'draft\n' });
    rmSync(repositories.web, { recursive: true });
    const [row] = carrel.json<Workspace[]>(repositories.app, 'ls');
    expect(row?.warnings).toEqual([`web: its repository ${repositories.web} is gone`]);
    expect(carrel.error(repositories.app, 'down', 'login')).toMatchObject({ code: 'REMOVAL_REFUSED' });
    expect(ok('show', 'login')).toContain(`its files would stay at ${parts.web}`);
    ok('down', 'login', '--discard-changes', '--discard-commits');
    expect(carrel.json(repositories.app, 'ls', '--all')).toEqual([]);
    expect(existsSync(join(parts.web, 'README.md'))).toBe(true);
    const restored = carrel.json<Workspace>(repositories.app, 'restore', 'login');
    expect(readFileSync(join(restored.path, 'draft.txt'), 'utf8')).toBe('draft\n');
    expect(restored.repositories?.map(({ alias }) => alias)).toEqual(['app', 'api']);
  },
);

thoroughTest('deleted files of one part are put back', () => {
  const { carrel, repositories, ok, up, settle } = makeGroupSite();
  const parts = up();
  const commit = commitFiles(parts.web, { 'new.txt': 'new\n' });
  rmSync(parts.web, { recursive: true });
  expect(carrel.json<Workspace[]>(repositories.app, 'ls')[0]?.warnings.join()).toContain(
    'web: the directory',
  );
  ok('restore', 'login');
  expect(git(parts.web, 'rev-parse', 'HEAD')).toBe(commit);
  expect(settle()).toHaveLength(3);
});

thoroughTest('a cleanup removes all parts, or keeps all of them', () => {
  const { carrel, repositories, ok, up, settle } = makeGroupSite();
  const parts = up();
  writeFiles(parts.api, { 'draft.txt': 'draft\n' });
  const gc = () =>
    carrel.json<{ items: { kind: string; action: string }[] }>(
      repositories.app,
      'gc',
      '--older-than',
      '0s',
      '--yes',
    );
  expect(gc().items).toMatchObject([{ kind: 'workspace', action: 'keep' }]);
  expect(settle()).toHaveLength(3);
  rmSync(join(parts.api, 'draft.txt'));
  expect(gc().items[0]).toMatchObject({ kind: 'workspace', action: 'remove' });
  expect(settle()).toEqual([]);
  ok('up', 'login');
});
