import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Snapshot } from '../../../src/domain/snapshot/snapshot.js';
import type { PoolDraining, PoolReport, PoolWarming } from '../../../src/domain/workspace/pool-report.js';
import { identifyProcess } from '../../../src/exec/process/identify-process.js';
import type { WorkspaceLease } from '../../../src/pool/workspace-pool.js';
import { useRealProcesses } from '../../helpers/carrel.js';
import { type CrashSite, makeCrashSite } from '../../helpers/crash/crash-site.js';
import { fingerprint } from '../../helpers/fingerprint.js';
import { oneInSix, thoroughTest } from '../../helpers/flavours.js';
import { commitFiles, git } from '../../helpers/repository.js';
import { writeFile } from '../../helpers/task/config-files.js';
import { tempDir } from '../../helpers/temp.js';
import { waitFor, waitForPid } from '../../helpers/wait-for.js';

const head = (site: CrashSite): string => git(site.repository, 'rev-parse', 'HEAD');

const statusOf = (site: CrashSite) => site.carrel.json<PoolReport>(site.repository, 'pool', 'status');

/** Everything where workspaces and slots are, which is nothing when there are none. */
function listCache({ carrel }: CrashSite): string[] {
  const root = join(carrel.cacheDir, 'worktrees');
  return existsSync(root) ? (readdirSync(root, { recursive: true }) as string[]) : [];
}

function configurePool(site: CrashSite, settings: string): void {
  writeFile(join(site.carrel.home, 'config/carrel/config.yaml'), `pool:\n${settings}`);
}

/** A process that has a slot and goes on having it. */
async function holdLease(site: CrashSite): Promise<{ child: ChildProcess; lease: WorkspaceLease }> {
  const program = resolve(import.meta.dirname, '../../fixtures/pool/hold-lease.mjs');
  const child = spawn(process.execPath, [program, head(site)], {
    cwd: site.repository,
    env: site.carrel.env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) await kill(child);
    await expect
      .poll(() => site.carrel.json(site.repository, 'pool', 'drain') && statusOf(site), { timeout: 30_000 })
      .toMatchObject({ slots: [], remains: [] });
  });
  for await (const line of createInterface(child.stdout)) return { child, lease: JSON.parse(line) };
  throw new Error('the holder of the lease ended without a word');
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

describe('carrel pool', () => {
  it('warms slots, shows them and drains them, and the repository is as before', () => {
    const site = makeCrashSite();
    const before = fingerprint(site.repository);
    const warming = site.carrel.json<PoolWarming>(site.repository, 'pool', 'warm', '2');
    expect(warming).toEqual({
      repository: site.repository,
      commit: head(site),
      wanted: 2,
      free: 2,
      cap: 8,
    });
    const { slots, damaged, remains } = statusOf(site);
    expect(slots).toMatchObject([
      { status: 'free', commit: head(site), lease: null, owner: null, reason: null },
      { status: 'free', commit: head(site), lease: null, owner: null, reason: null },
    ]);
    expect([damaged, remains]).toEqual([[], []]);
    expect(slots.map(({ path }) => statSync(dirname(path)).mode & 0o777)).toEqual([0o700, 0o700]);
    expect(slots.every(({ sizeBytes }) => sizeBytes > 0)).toBe(true);
    expect(fingerprint(site.repository)).toEqual(before);
    expect(site.carrel.json(site.repository, 'ls')).toEqual([]);
    expect(site.carrel.json(site.repository, 'pool', 'drain')).toEqual({
      repository: site.repository,
      destroyed: 2,
      busy: [],
    });
    expect(statusOf(site).slots).toEqual([]);
    expect(listCache(site)).toEqual([]);
    expect(git(site.repository, 'for-each-ref', 'refs/carrel')).toBe('');
  });

  it('speaks to people on stderr, and the table is the answer', () => {
    const { carrel, repository, ...site } = makeCrashSite();
    expect(carrel.run(repository, 'pool', 'status')).toMatchObject({
      status: 0,
      stdout: '',
      stderr: 'there are no warm workspaces in this repository; create some with: carrel pool warm\n',
    });
    const commit = head({ carrel, repository, ...site }).slice(0, 10);
    expect(carrel.run(repository, 'pool', 'warm', '1')).toMatchObject({
      status: 0,
      stdout: '',
      stderr: `1 slot is free at ${commit}\n`,
    });
    const { stdout, stderr } = carrel.run(repository, 'pool', 'status');
    expect(stdout).toMatch(
      /^SLOT +KIND +COMMIT +STATE +MADE +HOLDER +SIZE +NOTE\nslot_\w{16} +.* free .*\n$/,
    );
    expect(stderr).toBe('1 of at most 8 slots: 1 free\n');
    expect(carrel.run(repository, 'pool', 'drain')).toMatchObject({
      status: 0,
      stdout: '',
      stderr: 'destroyed 1 slot\n',
    });
  });

  it('removes the leftovers of a process that was killed while it tested overlays', () => {
    const site = makeCrashSite();
    site.ok('pool', 'warm', '1');
    const [slot] = statusOf(site).slots;
    const folder = dirname(dirname(slot?.path as string));
    const { pid } = spawnSync('true');
    const namespace = /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0];
    mkdirSync(join(folder, `carrel-${pid}-${namespace}-abcdef`, 'upper'), { recursive: true });
    site.ok('pool', 'drain');
    expect(listCache(site)).toEqual([]);
  });

  it('warms at the commit that was named', () => {
    const site = makeCrashSite();
    const first = head(site);
    commitFiles(site.repository, { 'README.md': 'changed\n' });
    const { commit } = site.carrel.json<PoolWarming>(
      site.repository,
      'pool',
      'warm',
      '1',
      '--base',
      'HEAD~1',
    );
    expect(commit).toBe(first);
    const [slot] = statusOf(site).slots;
    expect(slot?.commit).toBe(first);
    site.carrel.ok(site.repository, 'pool', 'drain');
  });

  it('creates exactly as many as the configuration says', () => {
    const site = makeCrashSite();
    configurePool(site, '  size: 3\n');
    expect(site.carrel.json(site.repository, 'pool', 'warm')).toMatchObject({ wanted: 3, free: 3, cap: 3 });
    const { stderr } = site.carrel.run(site.repository, 'pool', 'warm', '5');
    expect(stderr).toBe(`3 slots are free at ${head(site).slice(0, 10)}; pool.size allows 3, not 5\n`);
    expect(statusOf(site).slots).toHaveLength(3);
    site.carrel.ok(site.repository, 'pool', 'drain');
  });

  it('obeys the limits of the disk', () => {
    const site = makeCrashSite();
    writeFile(
      join(site.carrel.home, 'config/carrel/config.yaml'),
      'workspace:\n  limits:\n    freeDisk: 900000g\n',
    );
    expect(site.carrel.error(site.repository, 'pool', 'warm', '1')).toMatchObject({
      status: 3,
      code: 'LIMIT_REACHED',
    });
    expect(statusOf(site).slots).toEqual([]);
  });

  it('refuses invalid arguments before it creates anything', () => {
    const site = makeCrashSite();
    const error = (...args: string[]) => site.carrel.error(site.repository, 'pool', ...args);
    for (const count of ['0', 'two', '1.5', ''])
      expect(error('warm', count), count).toMatchObject({
        status: 2,
        code: 'INVALID_INPUT',
        message: `the number of slots is ${JSON.stringify(count)}; expected a whole number above 0`,
      });
    expect(error('warm', '1', '--base', 'nowhere')).toMatchObject({ code: 'UNKNOWN_BASE' });
    expect(site.carrel.error(tempDir(), 'pool', 'status')).toMatchObject({ code: 'NOT_A_REPOSITORY' });
    expect(error('drian')).toMatchObject({ status: 2, hint: 'did you mean: carrel pool drain' });
    expect(listCache(site)).toEqual([]);
  });
});

describe('a slot in use', () => {
  thoroughTest('is shown with its holder and left alone by drain', async () => {
    const site = makeCrashSite();
    const { child, lease } = await holdLease(site);
    expect(statusOf(site).slots).toMatchObject([
      {
        id: lease.slotId,
        status: 'leased',
        path: lease.path,
        lease: { id: lease.id, holder: 'a test' },
        owner: { pid: child.pid, state: 'alive' },
      },
    ]);
    expect(site.carrel.json<PoolDraining>(site.repository, 'pool', 'drain')).toMatchObject({
      destroyed: 0,
      busy: [{ id: lease.slotId, lease: { holder: 'a test' } }],
    });
    expect(site.carrel.run(site.repository, 'pool', 'drain').stderr).toBe(
      `destroyed 0 slots\n  kept ${lease.slotId}: leased by a test (process ${child.pid})\n`,
    );
    expect(readFileSync(join(lease.path, 'work.txt'), 'utf8')).toBe('not to be lost\n');
    await kill(child);
    site.carrel.ok(site.repository, 'pool', 'drain');
  });

  it.each(
    oneInSix([
      ['pool status', ['pool', 'status']],
      ['gc', ['gc']],
      ['pool drain', ['pool', 'drain']],
    ] as const),
  )('is settled by %s when its owner was killed, and its work is in a snapshot', async (_, args) => {
    // What a command leaves to be removed is another's when its process has ended.
    useRealProcesses();
    const site = makeCrashSite();
    const { child } = await holdLease(site);
    await kill(child);
    site.carrel.ok(site.repository, ...args);
    const [snapshot, ...others] = site.carrel.json<Snapshot[]>(site.repository, 'snapshots');
    expect(others).toEqual([]);
    expect(snapshot).toMatchObject({ reason: 'pool', files: 1 });
    expect(git(site.repository, 'show', `${snapshot?.commit}:work.txt`)).toBe('not to be lost');
    site.carrel.ok(site.repository, 'pool', 'drain');
    await waitFor('an end without remains', () => statusOf(site).remains.length === 0 || undefined);
    expect(statusOf(site)).toMatchObject({ slots: [], remains: [] });
    expect(listCache(site)).toEqual([]);
  });
});

/** A checkout that stands still: a filter of the user's that takes ten minutes for a file. */
function slowDown(site: CrashSite): string {
  const pidFile = join(site.carrel.home, 'smudge.pid');
  git(site.repository, 'config', 'filter.slow.smudge', `echo $$ > ${pidFile}; sleep 600; cat`);
  git(site.repository, 'config', 'filter.slow.clean', 'cat');
  commitFiles(site.repository, { '.gitattributes': '*.slow filter=slow\n', 'a.slow': 'slow\n' });
  return pidFile;
}

describe('interrupted warming', () => {
  it('removes a half-made slot after Ctrl-C', async () => {
    const site = makeCrashSite();
    const pidFile = slowDown(site);
    const before = fingerprint(site.repository);
    const running = site.carrel.start(site.repository, 'pool', 'warm', '1', '--json');
    const pid = await waitForPid(pidFile);
    running.child.kill('SIGINT');
    const outcome = await running;
    expect(outcome).toMatchObject({ status: 130 });
    expect(JSON.parse(outcome.stdout)).toMatchObject({ error: { code: 'INTERRUPTED' } });
    expect(identifyProcess(pid)).toBeUndefined();
    expect(listCache(site)).toEqual([]);
    expect(fingerprint(site.repository)).toEqual(before);
    expect(git(site.repository, 'for-each-ref', 'refs/carrel')).toBe('');
    expect(statusOf(site).slots).toEqual([]);
  });

  thoroughTest('is settled by the next command after kill -9', async () => {
    const site = makeCrashSite();
    const pidFile = slowDown(site);
    const before = fingerprint(site.repository);
    const running = site.carrel.start(site.repository, 'pool', 'warm', '1');
    const pid = await waitForPid(pidFile);
    running.child.kill('SIGKILL');
    await running;
    expect(statusOf(site)).toMatchObject({ slots: [], remains: [] });
    expect(identifyProcess(pid)).toBeUndefined();
    expect(listCache(site)).toEqual([]);
    expect(fingerprint(site.repository)).toEqual(before);
    expect(git(site.repository, 'for-each-ref', 'refs/carrel')).toBe('');
  });
});
