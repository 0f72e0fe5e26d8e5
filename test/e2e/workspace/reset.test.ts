import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, type TestContext, test } from 'vitest';
import { leaseWorkspace, openApp } from '../../../src/advanced.js';
import type { ResetResult } from '../../../src/domain/report/reset-result.js';
import type { Snapshot } from '../../../src/domain/snapshot/snapshot.js';
import type { Workspace, WorkspaceDetails } from '../../../src/domain/workspace/workspace.js';
import { createCarrel } from '../../helpers/carrel.js';
import { fingerprint, hashTree } from '../../helpers/fingerprint.js';
import { oneInSix, thoroughTest } from '../../helpers/flavours.js';
import { jj, jjEnv, makeJjRepository, requireJj } from '../../helpers/git/jj.js';
import { findLeftovers } from '../../helpers/leftovers.js';
import { overlayDir, requireOverlay } from '../../helpers/pool/overlay.js';
import { git, makeRepository, writeFiles } from '../../helpers/repository.js';
import { makeScriptedTasks } from '../../helpers/task/scripted-tasks.js';
import { tempDir } from '../../helpers/temp.js';
import { normalize } from '../../helpers/workspace/removal.js';
import { makeFixture } from '../../helpers/workspace/test-workspace.js';
import { requireBubblewrap } from '../../parts/bubblewrap.js';

const FILES = { 'README.md': 'hello\n', 'source/one.txt': 'one\n', '.gitignore': '*.log\n' };
const DISCARD = ['--discard-changes', '--discard-commits'];

/** All files but what links them to their repository. */
const hashWork = (path: string): string => hashTree(path, new Set(['.git', '.jj']));

function makeSite({ home = tempDir(), config = '', extra = {} } = {}) {
  const carrel = createCarrel(home, extra);
  if (config) writeFiles(home, { 'config/carrel/config.yaml': config });
  return { carrel, repository: makeRepository(FILES) };
}

const commit = (path: string): void => {
  git(path, 'add', '--all');
  git(path, 'commit', '--quiet', '-m', 'work');
};

interface Kind {
  readonly need: (context: TestContext) => void | Promise<void>;
  readonly make: () => ReturnType<typeof makeSite>;
  readonly up: readonly string[];
  readonly commit: (path: string, site: ReturnType<typeof makeSite>) => void;
}

const KINDS: Readonly<Record<string, Kind>> = {
  'a worktree': { need: () => {}, make: makeSite, up: [], commit },
  'an overlay': {
    need: requireOverlay,
    make: () => makeSite({ home: overlayDir(), config: 'workspace:\n  files: overlay\n' }),
    up: [],
    commit,
  },
  'a jj workspace': {
    need: requireJj,
    make: () => ({
      ...makeSite({ extra: { ...jjEnv(), HOME: tempDir() } }),
      repository: makeJjRepository('colocated', FILES),
    }),
    up: [],
    commit: path => void jj(path, 'commit', '-m', 'work'),
  },
  'a plain copy': {
    need: () => {},
    make: makeSite,
    up: ['--copy', '.'],
    commit: () => {},
  },
  'a sandbox': {
    need: requireBubblewrap,
    make: makeSite,
    up: ['--isolation', 'full', '--strict'],
    commit: (_, { carrel, repository }) => {
      const script = 'git add --all && git commit -qm work && echo private > ~/private';
      carrel.ok(repository, 'exec', 'a', '--', 'sh', '-ec', script);
    },
  },
};

describe.each(oneInSix(Object.entries(KINDS)))('reset of %s', (name, kind) => {
  test('is like new, and the snapshot has everything that was there', async context => {
    await kind.need(context);
    const site = kind.make();
    const { carrel, repository } = site;
    const made = carrel.json<Workspace>(repository, 'up', 'a', ...kind.up);
    const [fresh, user] = [hashWork(made.path), hashWork(repository)];
    writeFiles(made.path, { 'work.txt': 'work\n' });
    kind.commit(made.path, site);
    writeFiles(made.path, { 'source/one.txt': 'changed\n', 'new/deep.bin': Buffer.from([0, 255, 10]) });
    writeFiles(made.path, { 'a.log': 'ignored, and worth keeping\n' });
    rmSync(join(made.path, 'README.md'));
    const work = hashWork(made.path);
    expect(carrel.error(repository, 'reset', 'a')).toMatchObject({ status: 3, code: 'RESET_REFUSED' });
    expect(hashWork(made.path)).toBe(work);

    const result = carrel.json<ResetResult>(repository, 'reset', 'a', ...DISCARD);

    const { id, path, ports, base, branch } = made;
    expect(result).toMatchObject({ id, path, branch, commit: base.commit, omitted: [], stopped: [] });
    expect(hashWork(path)).toBe(fresh);
    expect(hashWork(repository)).toBe(user);
    const [now] = carrel.json<WorkspaceDetails[]>(repository, 'ls', '--all');
    expect(now).toMatchObject({ id, path, ports, branch, status: 'ready' });
    expect(now?.ahead ?? 0).toBe(0);
    expect(Object.values(now?.changes ?? {}).every(count => count === 0)).toBe(true);
    // Nothing is left that a second one could stumble over.
    expect(carrel.json<ResetResult>(repository, 'reset', 'a').id).toBe(id);
    expect(hashWork(carrel.ok(repository, 'restore', result.snapshot, '--as', 'before'))).toBe(work);
    if (name === 'a sandbox') {
      const read = ['--', 'sh', '-c', 'cat ~/private; git log --format=%s'];
      expect(carrel.run(repository, 'exec', 'a', ...read).stdout).toBe('first\n');
      expect(carrel.run(repository, 'exec', 'before', ...read).stdout).toBe('private\nwork\nfirst\n');
    }
    carrel.ok(repository, 'down', 'a');
  });
});

thoroughTest('what a person reads', () => {
  const fixture = makeFixture();
  writeFiles(fixture.path, { 'new.txt': 'new\n' });
  fixture.git('commit', '--quiet', '--allow-empty', '-m', 'empty');
  expect(normalize(fixture, fixture.run('reset', 'a'))).toMatchInlineSnapshot(`
    "carrel: a was kept; nothing was changed
      untracked files: new.txt
      1 commit not landed: <short> empty
    hint: carrel reset a --discard-changes --discard-commits"
  `);
  expect(
    normalize(fixture, fixture.run('reset', 'a', ...DISCARD)).replaceAll(/\b[0-9a-f]{12}\b/g, '<base>'),
  ).toMatchInlineSnapshot(
    `"a is at its base <base>; restore what was there with: carrel restore <snap> --as a-before"`,
  );
  expect(findLeftovers(fixture)).toEqual([]);
});

thoroughTest('each flag accepts its own risk alone, and a refusal changes nothing', () => {
  const fixture = makeFixture();
  fixture.git('commit', '--quiet', '--allow-empty', '-m', 'empty');
  const head = fixture.git('rev-parse', 'HEAD');
  const user = fingerprint(fixture.repository);
  const refused = fixture.carrel.error(fixture.repository, 'reset', 'a', '--discard-changes');
  expect(refused).toMatchObject({ details: { risks: [{ kind: 'commits', flag: '--discard-commits' }] } });
  expect(refused.hint).toBe('carrel reset a --discard-commits');
  expect(fixture.git('rev-parse', 'HEAD')).toBe(head);
  expect(fixture.ok('snapshots', '--json')).toBe('[]');
  fixture.ok('reset', 'a', '--discard-commits');
  expect(fixture.git('rev-parse', 'HEAD')).toBe(git(fixture.repository, 'rev-parse', 'main'));
  expect(fixture.git('branch', '--show-current')).toBe('carrel/a');
  expect(fingerprint(fixture.repository)).toEqual(user);
});

test('a process inside prevents it unless it may be stopped', async () => {
  const fixture = makeFixture();
  mkdirSync(join(fixture.path, 'deep'));
  const child: ChildProcess = spawn('/bin/sh', ['-c', 'echo ready; read line'], {
    cwd: join(fixture.path, 'deep'),
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout as NodeJS.ReadableStream, 'data');
  const refused = fixture.carrel.error(fixture.repository, 'reset', 'a');
  expect(refused).toMatchObject({ code: 'RESET_REFUSED', details: { risks: [{ kind: 'processes' }] } });
  const { stopped } = JSON.parse(fixture.ok('reset', 'a', '--stop-processes', '--json')) as ResetResult;
  expect(stopped).toEqual([child.pid]);
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  expect(existsSync(join(fixture.path, 'deep'))).toBe(false);
});

thoroughTest('a leased workspace and one that a task works in are refused', async () => {
  const fixture = makeFixture();
  const app = await openApp({ environment: fixture.carrel.env, cwd: fixture.repository });
  onTestFinished(() => app.close());
  await leaseWorkspace(app, { repository: fixture.repository, name: 'a', holder: 'a test' });
  const leased = fixture.carrel.error(fixture.repository, 'reset', 'a');
  expect(leased).toMatchObject({ code: 'WORKSPACE_BUSY', details: { status: 'leased by a test' } });

  const { carrel, repository } = makeScriptedTasks({
    agents: { worker: 'echo begun > begun.txt; sleep 1000' },
    stages: [{ name: 'only', agent: 'worker' }],
    workflow: { isolation: 'worktree' },
  });
  const task = carrel.ok(repository, 'run', 'Wait', '--detach');
  onTestFinished(() => void carrel.run(repository, 'task', 'cancel', task));
  const names = () => carrel.json<Workspace[]>(repository, 'ls');
  await expect.poll(() => names().some(({ status }) => status === 'ready'), { timeout: 20_000 }).toBe(true);
  const busy = carrel.error(repository, 'reset', names()[0]?.name as string, ...DISCARD, '--stop-processes');
  expect(busy).toMatchObject({ code: 'WORKSPACE_BUSY', details: { status: `in use for ${task}` } });
});

test("the user's own directory is refused", () => {
  const { carrel, repository } = makeSite();
  carrel.ok(repository, 'up', 'mine', '--isolation', 'shared');
  writeFiles(repository, { 'README.md': 'the user’s edit\n' });
  expect(carrel.error(repository, 'reset', 'mine', ...DISCARD)).toMatchObject({ code: 'NOT_SUPPORTED' });
  expect(readFileSync(join(repository, 'README.md'), 'utf8')).toBe('the user’s edit\n');
});

thoroughTest('a branch of the user is never moved back', () => {
  const { carrel, repository } = makeSite();
  git(repository, 'branch', 'feat/x');
  const { path } = carrel.json<Workspace>(repository, 'up', 'a', '--branch', 'feat/x');
  writeFiles(path, { 'new.txt': 'new\n' });
  carrel.ok(repository, 'reset', 'a', '--discard-changes');
  expect(existsSync(join(path, 'new.txt'))).toBe(false);
  git(path, 'commit', '--quiet', '--allow-empty', '-m', 'more');
  const tip = git(path, 'rev-parse', 'HEAD');
  const refused = carrel.error(repository, 'reset', 'a', ...DISCARD);
  expect(refused).toMatchObject({
    code: 'RESET_REFUSED',
    details: { risks: [{ kind: 'commits', flag: null }] },
  });
  expect(git(repository, 'rev-parse', 'feat/x')).toBe(tip);
});

thoroughTest('a branch that got commits elsewhere stays, and the workspace is on another one', () => {
  const { carrel, repository } = makeSite();
  const { path } = carrel.json<Workspace>(repository, 'up', 'a');
  const other = join(tempDir(), 'other');
  git(repository, 'worktree', 'add', '--quiet', '--force', other, 'carrel/a');
  const { branch, warnings } = carrel.json<ResetResult>(repository, 'reset', 'a');
  expect(branch).toBe('carrel/a-reset');
  expect(warnings).toContain('the branch carrel/a was kept; the workspace is on carrel/a-reset');
  expect(git(path, 'branch', '--show-current')).toBe('carrel/a-reset');
  expect(git(other, 'branch', '--show-current')).toBe('carrel/a');
});

thoroughTest('included files are copied again; setup commands run only with --setup', () => {
  const config = 'workspace:\n  setup: ["echo set up >> setup.log"]\n  include: [".env"]\n';
  const { carrel } = makeSite({ config });
  const repository = makeRepository({ ...FILES, '.gitignore': '*.log\n.env\n' });
  writeFileSync(join(repository, '.env'), 'FIRST=1\n');
  const path = carrel.ok(repository, 'up', 'a');
  expect(existsSync(join(path, 'setup.log'))).toBe(true);
  writeFileSync(join(repository, '.env'), 'SECOND=1\n');
  carrel.ok(repository, 'reset', 'a', '--discard-changes');
  expect(readFileSync(join(path, '.env'), 'utf8')).toBe('SECOND=1\n');
  expect(existsSync(join(path, 'setup.log'))).toBe(false);
  carrel.ok(repository, 'reset', 'a', '--discard-changes', '--setup');
  expect(readFileSync(join(path, 'setup.log'), 'utf8')).toBe('set up\n');
});

thoroughTest('a setup that fails leaves the workspace at its base, ready', () => {
  const { carrel, repository } = makeSite({
    config: 'workspace:\n  setup: ["test ! -e ../fail || exit 7"]\n',
  });
  const path = carrel.ok(repository, 'up', 'a');
  writeFiles(path, { 'new.txt': 'new\n' });
  writeFileSync(join(path, '../fail'), '');
  const failed = carrel.error(repository, 'reset', 'a', '--discard-changes', '--setup');
  rmSync(join(path, '../fail'));
  expect(failed).toMatchObject({ code: 'SETUP_FAILED' });
  expect(existsSync(join(path, 'new.txt'))).toBe(false);
  expect(carrel.json<Workspace[]>(repository, 'ls')).toMatchObject([{ name: 'a', status: 'ready' }]);
  const [{ id } = { id: '' }] = carrel.json<Snapshot[]>(repository, 'snapshots');
  expect(readFileSync(join(carrel.ok(repository, 'restore', id, '--as', 'b'), 'new.txt'), 'utf8')).toBe(
    'new\n',
  );
});

thoroughTest('commands of the repository that are not approved are not run by --setup', () => {
  const { carrel } = makeSite();
  const config = 'workspace:\n  setup: ["touch ran.txt"]\n';
  const repository = makeRepository({ ...FILES, '.carrel/config.yaml': config });
  const path = carrel.ok(repository, 'up', 'a', '--no-setup');
  const refused = carrel.error(repository, 'reset', 'a', '--setup');
  expect(refused.code).toBe('SETUP_NOT_TRUSTED');
  carrel.ok(repository, 'reset', 'a', '--setup', '--trust');
  expect(existsSync(join(path, 'ran.txt'))).toBe(true);
});

thoroughTest('when its directory is deleted afterwards, nothing from before the reset is put back', () => {
  const { carrel, repository } = makeSite();
  const path = carrel.ok(repository, 'up', 'a');
  writeFiles(path, { 'new.txt': 'new\n' });
  carrel.ok(repository, 'snapshot', 'a');
  carrel.ok(repository, 'reset', 'a', '--discard-changes');
  const fresh = hashWork(path);
  rmSync(path, { recursive: true });
  expect(carrel.ok(repository, 'restore', 'a')).toBe(path);
  expect(hashWork(path)).toBe(fresh);
});
