import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, type TestContext, test } from 'vitest';
import { openApp } from '../../../src/app.js';
import { operationSteps } from '../../../src/domain/journal.js';
import type { Snapshot } from '../../../src/domain/snapshot/snapshot.js';
import type { WorkspaceDetails } from '../../../src/domain/workspace/workspace.js';
import { takeCheckpoints } from '../../../src/operations/capture/checkpoint.js';
import { type Carrel, createCarrel } from '../../helpers/carrel.js';
import { hashFiles, makeCrashSite, workIn } from '../../helpers/crash/crash-site.js';
import { hashTree } from '../../helpers/fingerprint.js';
import { sampleOf, thoroughTest } from '../../helpers/flavours.js';
import { makeJjRepository, requireJj } from '../../helpers/git/jj.js';
import { findLeftovers } from '../../helpers/leftovers.js';
import { isRunning } from '../../helpers/machine/processes.js';
import { overlayDir, requireOverlay } from '../../helpers/pool/overlay.js';
import { readRecords } from '../../helpers/records.js';
import { git, makeRepository, writeFiles } from '../../helpers/repository.js';
import { startTestServer } from '../../helpers/server/test-server.js';
import { makeScriptedTasks } from '../../helpers/task/scripted-tasks.js';
import { tempDir } from '../../helpers/temp.js';
import { waitFor } from '../../helpers/wait-for.js';
import { requireBubblewrap } from '../../parts/bubblewrap.js';

const FILES = {
  'README.md': 'hello\n',
  'source/one.txt': 'one\n',
  '.gitignore': '*.log\nnode_modules/\n',
};

interface Site {
  readonly carrel: Carrel;
  readonly repository: string;
  readonly path: string;
}

/** A workspace `a` whose user has checkpoints, with the shortest possible interval between them. */
function makeSite(
  make: { repository?: string; home?: string; up?: readonly string[]; config?: string } = {},
): Site {
  const repository = make.repository ?? makeRepository(FILES);
  const carrel = createCarrel(make.home ?? tempDir(), { CARREL_CHECKPOINTS: 'on' });
  const config = make.config ?? 'snapshots:\n  checkpointMinutes: 0.0001\n';
  writeFiles(carrel.home, { 'config/carrel/config.yaml': config });
  const path = carrel.ok(repository, 'up', 'a', ...(make.up ?? ['--isolation', 'worktree']));
  return { carrel, repository, path };
}

const checkpointsOf = ({ carrel }: Pick<Site, 'carrel'>) =>
  readRecords(carrel.stateDir).snapshots.filter(({ reason, commit }) => reason === 'checkpoint' && commit);

/** Runs a command in the workspace and waits until the process that it left in the background, if any, has ended. */
async function exec(site: Site, script: string): Promise<void> {
  site.carrel.ok(site.repository, 'exec', 'a', '--', 'sh', '-c', script);
  await untilQuiet(site);
}

/** A process that was started is named in the record until it looks at the files, and has the state open until it ends. */
async function untilQuiet({ carrel }: Pick<Site, 'carrel'>): Promise<void> {
  await waitFor('the process in the background', () => {
    const state = readRecords(carrel.stateDir).workspaces[0]?.checkpoint;
    const { pending } = (state ?? {}) as { pending?: { pid: number } };
    if (pending && isRunning(pending.pid)) return undefined;
    return readdirSync(join(carrel.stateDir, 'in-use')).length === 0 ? true : undefined;
  });
}

/** Tracked, untracked, ignored, executable, closed to others, empty, deleted. */
const WORK = `
  echo changed > source/one.txt; mkdir -p new/deep empty; echo new > new/deep/file; printf '\\0\\377' > new/bytes
  echo '#!/bin/sh' > run.sh; chmod 755 run.sh; echo secret > key; chmod 600 key
  echo ignored > build.log; rm README.md; ln -s source link; mkdir node_modules; echo x > node_modules/x`;

const hashWork = (path: string): string => hashTree(path, new Set(['.git', '.jj', 'node_modules']));

interface Form {
  readonly make: () => Site;
  readonly require?: (context: TestContext) => void | Promise<void>;
}

const FORMS: Record<string, Form> = {
  'a git worktree': { make: makeSite },
  'a plain copy': {
    make: () => {
      const repository = tempDir();
      writeFiles(repository, FILES);
      return makeSite({ repository, up: ['--copy', repository] });
    },
  },
  'an overlay': {
    require: requireOverlay,
    make: () => {
      const config = 'snapshots:\n  checkpointMinutes: 0.0001\nworkspace:\n  files: overlay\n';
      return makeSite({ home: overlayDir(), config });
    },
  },
  'a jj workspace': {
    require: requireJj,
    make: () => makeSite({ repository: makeJjRepository('colocated', FILES) }),
  },
};

const chosen = sampleOf(Object.keys(FORMS), 'a git worktree');

describe.each(chosen)('%s whose directory was deleted', name => {
  const form = FORMS[name] as Form;

  it('is restored at its path, byte for byte, as a working workspace', async context => {
    await form.require?.(context);
    const site = form.make();
    const { carrel, repository, path } = site;
    const [before] = carrel.json<WorkspaceDetails[]>(repository, 'ls');
    await exec(site, WORK);
    const hash = hashWork(path);
    deleteFiles(path);
    const [gone] = carrel.json<WorkspaceDetails[]>(repository, 'ls');
    expect(gone?.warnings.at(-1)).toMatch(
      /^the last checkpoint was taken .+ ago; restore it with: carrel restore a$/,
    );

    expect(carrel.ok(repository, 'restore', 'a')).toBe(path);

    expect(hashWork(path)).toBe(hash);
    const [after] = carrel.json<WorkspaceDetails[]>(repository, 'ls');
    expect(after).toMatchObject({
      id: before?.id,
      ports: before?.ports,
      branch: before?.branch,
      warnings: [],
    });
    expect(carrel.ok(repository, 'diff', 'a', '--name-only').split('\n')).toEqual(
      expect.arrayContaining(['README.md', 'run.sh', 'source/one.txt']),
    );
    carrel.ok(repository, 'down', 'a', '--discard-changes');
    expect(carrel.json<Snapshot[]>(repository, 'snapshots').map(({ reason }) => reason)).toEqual(['down']);
    expect(existsSync(path)).toBe(false);
  });

  it('is removed with a snapshot that has its files', async context => {
    await form.require?.(context);
    const site = form.make();
    const { carrel, repository, path } = site;
    await exec(site, WORK);
    const hash = hashWork(path);
    deleteFiles(path);
    const { snapshot } = carrel.json<{ snapshot: string }>(repository, 'down', 'a', '--discard-changes');
    expect(existsSync(path)).toBe(false);
    expect(hashWork(carrel.ok(repository, 'restore', snapshot, '--as', 'b'))).toBe(hash);
    expect(hashWork(carrel.ok(repository, 'restore', 'a'))).toBe(hash);
  });
});

/** As `rm -rf` does it: what can't be deleted, such as a mount, is left empty. */
function deleteFiles(path: string): void {
  for (const name of readdirSync(path)) rmSync(join(path, name), { recursive: true, force: true });
  try {
    rmSync(path, { recursive: true });
  } catch {
    expect(readdirSync(path)).toEqual([]);
  }
}

test('what was committed after the checkpoint stays, and so does what was not', async () => {
  const site = makeSite();
  const { carrel, repository, path } = site;
  await exec(site, 'echo then > source/one.txt; echo then > new.txt; echo left > left.txt');
  writeFiles(path, { 'new.txt': 'committed\n' });
  writeFiles(path, { 'later.txt': 'later\n', 'source/one.txt': 'committed\n' });
  git(path, 'add', 'later.txt', 'source/one.txt');
  git(path, 'commit', '--quiet', '-m', 'by hand');
  const tip = git(path, 'rev-parse', 'HEAD');
  writeFiles(path, { 'staged.txt': 'staged\n' });
  git(path, 'add', 'staged.txt', 'new.txt');
  rmSync(path, { recursive: true });
  const { stderr } = carrel.run(repository, 'restore', 'a');
  expect(stderr).toContain('2 files were committed or staged after the checkpoint');
  expect(git(path, 'rev-parse', 'carrel/a')).toBe(tip);
  expect(git(path, 'symbolic-ref', 'HEAD')).toBe('refs/heads/carrel/a');
  const read = (name: string) => readFileSync(join(path, name), 'utf8').trim();
  expect(['source/one.txt', 'later.txt', 'new.txt', 'staged.txt', 'left.txt'].map(read)).toEqual([
    ...['committed', 'later', 'committed', 'staged', 'left'],
  ]);
  expect(git(path, 'status', '--porcelain').split('\n').sort()).toEqual([
    '?? left.txt',
    'A  new.txt',
    'A  staged.txt',
  ]);
});

thoroughTest('a worktree that git has pruned, and an unused one, are restored too', async () => {
  const site = makeSite();
  const { carrel, repository, path } = site;
  const untouched = carrel.ok(repository, 'up', 'b', '--isolation', 'worktree');
  writeFiles(path, { 'staged.txt': 'staged\n' });
  git(path, 'add', 'staged.txt');
  await exec(site, 'echo changed > source/one.txt; echo ignored > build.log');
  const [hash, hashOfOther] = [hashWork(path), hashWork(untouched)];
  for (const each of [path, untouched]) rmSync(each, { recursive: true });
  git(repository, 'worktree', 'prune');
  carrel.ok(repository, 'restore', 'a');
  carrel.ok(repository, 'restore', 'b');
  expect([hashWork(path), hashWork(untouched)]).toEqual([hash, hashOfOther]);
  expect(git(path, 'status', '--porcelain').split('\n').sort()).toEqual([
    ' M source/one.txt',
    'A  staged.txt',
  ]);
  expect(git(untouched, 'status', '--porcelain')).toBe('');
});

thoroughTest('while a command runs, its work so far is in a checkpoint', async () => {
  const site = makeSite();
  const { carrel, repository, path } = site;
  const gate = join(carrel.home, 'gate');
  execFileSync('mkfifo', [gate]);
  const running = carrel.start(
    repository,
    'exec',
    'a',
    '--',
    'sh',
    '-c',
    `echo so-far > work.txt; cat ${gate}`,
  );
  const [held] = await waitFor('a checkpoint', () => {
    const checkpoints = checkpointsOf(site);
    return checkpoints.length > 0 ? checkpoints : undefined;
  });
  rmSync(path, { recursive: true });
  writeFileSync(gate, '');
  expect(await running).toMatchObject({ status: 0 });
  await untilQuiet(site);
  expect(git(repository, 'show', `refs/carrel/snapshots/${held?.id}:work.txt`)).toBe('so-far');
  carrel.ok(repository, 'restore', 'a');
  expect(readFileSync(join(path, 'work.txt'), 'utf8')).toBe('so-far\n');
});

thoroughTest('where nothing changed no process is started; of the others the newest are kept', async () => {
  const site = makeSite();
  const { carrel, repository } = site;
  const pending = () =>
    (readRecords(carrel.stateDir).workspaces[0]?.checkpoint as { pending?: unknown })?.pending;
  for (const round of [1, 2, 3, 4]) await exec(site, `echo ${round} > file.txt`);
  const kept = checkpointsOf(site).map(({ id }) => id);
  expect(kept).toHaveLength(3);
  expect(
    git(repository, 'for-each-ref', '--format=%(refname:lstrip=3)', 'refs/carrel/snapshots').split('\n'),
  ).toEqual(kept.toSorted());
  carrel.ok(repository, 'exec', 'a', '--', 'true');
  expect(pending()).toBeUndefined();
  expect(checkpointsOf(site).map(({ id }) => id)).toEqual(kept);
  expect(carrel.ok(repository, 'snapshots')).toMatch(/^snap_\w+ +a +checkpoint +1 file /m);
  carrel.runWith(
    { CARREL_CHECKPOINTS: 'off' },
    repository,
    'exec',
    'a',
    '--',
    'sh',
    '-c',
    'echo 5 > file.txt',
  );
  expect(pending()).toBeUndefined();
});

thoroughTest(
  'a failed checkpoint fails no command, and is reported by show and doctor until one succeeds',
  async () => {
    const site = makeSite();
    const { carrel, repository } = site;
    const warnings = () => carrel.json<WorkspaceDetails>(repository, 'show', 'a').warnings;
    // More than git can hold.
    await exec(site, 'truncate -s 65G huge.bin; echo x > file.txt');
    expect(warnings()).toEqual([
      expect.stringMatching(/^the last checkpoint of a could not be taken: .*huge\.bin/),
    ]);
    expect(carrel.run(repository, 'doctor').stdout).toMatch(/^.*checkpoints.*huge\.bin/m);
    await exec(site, 'rm huge.bin');
    expect(warnings()).toEqual([]);
    expect(checkpointsOf(site)).toHaveLength(1);
  },
);

const KILLS = operationSteps.checkpoint.map(step => `checkpoint:${step}` as const);

test.each(sampleOf(KILLS, 'checkpoint:captured'))(
  'killed at %s, a checkpoint leaves nothing half done',
  moment => {
    const site = makeCrashSite({ CARREL_CHECKPOINTS: 'on' });
    const path = site.ok('up', 'a');
    const [{ id = '' } = {}] = site.carrel.json<WorkspaceDetails[]>(site.repository, 'ls');
    const { hash } = workIn(path);
    site.killAt(moment, 'checkpoint', id);
    expect(site.settle(moment)).toHaveLength(1);
    expect(hashFiles(path)).toBe(hash);
    site.ok('checkpoint', id);
    rmSync(path, { recursive: true });
    site.ok('restore', 'a');
    expect(hashFiles(path)).toBe(hash);
    expect(site.settle(moment)).toHaveLength(1);
  },
);

const RETURNS = operationSteps['put-back'].map(step => `put-back:${step}` as const);

test.each(sampleOf(RETURNS, 'put-back:filled'))(
  'killed at %s, a restore is finished by the next command or begins anew',
  moment => {
    const site = makeCrashSite({ CARREL_CHECKPOINTS: 'on' });
    const path = site.ok('up', 'a');
    const [{ id = '' } = {}] = site.carrel.json<WorkspaceDetails[]>(site.repository, 'ls');
    const { hash } = workIn(path);
    site.ok('checkpoint', id);
    rmSync(path, { recursive: true });
    site.killAt(moment, 'restore', 'a');
    site.ok('ls');
    if (!existsSync(path)) site.ok('restore', 'a');
    expect(hashFiles(path)).toBe(hash);
    expect(site.settle(moment)).toMatchObject([{ id, status: 'ready', warnings: [] }]);
  },
);

thoroughTest('a removal does not wait for a checkpoint, which then leaves nothing', async () => {
  const site = makeCrashSite({ CARREL_CHECKPOINTS: 'on' });
  const { carrel, repository } = site;
  const path = site.ok('up', 'a');
  const [{ id = '' } = {}] = carrel.json<WorkspaceDetails[]>(repository, 'ls');
  const { hash } = workIn(path);
  const app = await openApp({
    environment: carrel.env,
    cwd: repository,
    onStep: (kind, step) => {
      if (kind === 'checkpoint' && step === 'recorded')
        carrel.ok(repository, 'down', 'a', '--discard-changes', '--discard-commits');
    },
  });
  await takeCheckpoints(app, [id]);
  await app.close();
  expect(readRecords(carrel.stateDir).snapshots.map(({ reason }) => reason)).toEqual(['down']);
  expect(findLeftovers(site)).toEqual([]);
  expect(hashFiles(site.ok('restore', 'a'))).toBe(hash);
});

test("uncommitted files of a task's attempt are in a checkpoint", async () => {
  const site = makeScriptedTasks({
    agents: { only: 'echo done > work.txt; echo ignored > build.log; exit 1' },
    stages: [{ name: 'only', agent: 'only' }],
    workflow: { isolation: 'worktree' },
    environment: { CARREL_CHECKPOINTS: 'on' },
  });
  // One that succeeded is removed, with its own snapshot.
  expect(site.run().status).toBe('failed');
  await untilQuiet(site);
  const [held] = checkpointsOf(site);
  expect(held).toMatchObject({ files: 1, workspaceName: expect.any(String) });
});

thoroughTest('a server sees to workspaces that people work in by themselves', async () => {
  const site = makeSite();
  writeFiles(site.path, { 'by-hand.txt': 'by hand\n' });
  const { stop } = await startTestServer({ carrel: site.carrel });
  await waitFor('a checkpoint', () => checkpointsOf(site)[0]);
  await stop();
  await untilQuiet(site);
  rmSync(site.path, { recursive: true });
  site.carrel.ok(site.repository, 'restore', 'a');
  expect(readFileSync(join(site.path, 'by-hand.txt'), 'utf8')).toBe('by hand\n');
});

thoroughTest(
  'a sandboxed workspace has checkpoints while an agent runs in it, and is restored into its sandbox',
  async context => {
    requireBubblewrap(context);
    const config =
      'snapshots:\n  checkpointMinutes: 0.0001\nsandbox:\n  runtime: bubblewrap\n  network: none\n';
    const site = makeSite({ config, up: ['--isolation', 'full'] });
    const { carrel, repository, path } = site;
    const script = `${WORK}; git commit -qam inside; until test -e go; do sleep 0.05; done; git branch side`;
    const running = carrel.start(repository, 'exec', 'a', '--', 'sh', '-c', script);
    await waitFor('a checkpoint', () => checkpointsOf(site)[0]);
    writeFileSync(join(path, 'go'), '');
    expect(await running).toMatchObject({ status: 0 });
    await untilQuiet(site);
    const hash = hashWork(path);
    rmSync(path, { recursive: true });
    carrel.ok(repository, 'restore', 'a');
    expect(hashWork(path)).toBe(hash);
    expect(carrel.ok(repository, 'exec', 'a', '--', 'git', 'branch', '--list', 'side').trim()).toBe('side');
    await untilQuiet(site);
  },
);
