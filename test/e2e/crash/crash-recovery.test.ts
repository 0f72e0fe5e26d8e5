import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readlinkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { identifyProcess } from '../../../src/exec/process/identify-process.js';
import { useRealProcesses } from '../../helpers/carrel.js';
import { type CrashSite, hashFiles, isHeld, makeCrashSite, workIn } from '../../helpers/crash/crash-site.js';
import { flavours, oneInSix, thoroughTest } from '../../helpers/flavours.js';
import { findLeftovers } from '../../helpers/leftovers.js';
import { readRecords } from '../../helpers/records.js';
import { commitFiles, git, makeRepository } from '../../helpers/repository.js';
import { writeFile } from '../../helpers/task/config-files.js';
import { waitFor, waitForPid } from '../../helpers/wait-for.js';
import { needProgram } from '../../parts/required-part.js';

/** The user's own setup command writes its pid and stays. */
function configureSetup(site: CrashSite, command: string): string {
  const pidFile = join(site.carrel.home, 'setup.pid');
  const text = command.replaceAll('PID', () => `echo $$ > ${pidFile}`);
  writeFile(
    join(site.carrel.home, 'config/carrel/config.yaml'),
    `workspace:\n  setup:\n    - ${JSON.stringify(text)}\n`,
  );
  return pidFile;
}

describe('a setup command whose Carrel was killed', () => {
  it.each([
    ['stays in the workspace', 'PID; exec sleep 600'],
    ['ignores SIGTERM', 'trap "" TERM; PID; while :; do sleep 1; done'],
    ...(existsSync('/proc/self/stat')
      ? [['has moved elsewhere in its own session', "cd / && setsid -w sh -c 'PID; exec sleep 600'"]]
      : []),
  ])('is ended by the next command when it %s', async (_, command) => {
    needProgram('setsid');
    const site = makeCrashSite();
    const pidFile = configureSetup(site, command);
    const running = site.carrel.start(site.repository, 'up', 'a');
    const pid = await waitForPid(pidFile);
    running.child.kill('SIGKILL');
    await running;
    expect(identifyProcess(pid)).toBeDefined();

    expect(site.settle()).toEqual([]);

    expect(identifyProcess(pid)).toBeUndefined();
  });

  thoroughTest('is left alone when the workspace became ready', async () => {
    const site = makeCrashSite();
    const pidFile = configureSetup(site, "sh -c 'PID; exec sleep 600' > /dev/null 2>&1 &");
    site.killAt('up:done', 'up', 'a');
    const pid = await waitForPid(pidFile);
    expect(site.settle()).toHaveLength(1);
    expect(identifyProcess(pid)).toBeDefined();
    process.kill(pid, 'SIGKILL');
  });
});

/** A git that takes its time: `PATH` with a program before the real one that waits when `word` is among the arguments. */
function slowGit(site: CrashSite, word: string) {
  const directory = join(site.carrel.home, 'slow');
  const pidFile = join(site.carrel.home, 'git.pid');
  const real = execFileSync('/bin/sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const wait = `echo $$ > ${pidFile}; sleep 2`;
  writeFile(
    join(directory, 'git'),
    `#!/bin/sh\ncase " $* " in *" ${word} "*) ${wait};; esac\nexec ${real} "$@"\n`,
  );
  chmodSync(join(directory, 'git'), 0o755);
  return { pidFile, env: { PATH: `${directory}:${site.carrel.env.PATH}` } };
}

describe.runIf(existsSync('/proc/self/stat'))('a git whose Carrel was killed', () => {
  it.each(
    flavours<[string, string]>(['land', 'read-tree'], ['up', 'update-ref'], ['snapshot', 'update-ref']),
  )('during %s, at %s, does nothing any more once the next command has settled it', async (verb, word) => {
    const site = makeCrashSite();
    const { commit } = workIn(site.ok('up', 'a'));
    const slow = slowGit(site, word);
    const args = verb === 'up' ? ['up', 'b'] : verb === 'land' ? ['land', 'a', '-m', 'all'] : [verb, 'a'];
    const running = site.carrel.startWith(slow.env, site.repository, ...args);
    const pid = await waitForPid(slow.pidFile);
    running.child.kill('SIGKILL');
    await running;

    site.ok('ls');

    await waitFor('the end of git', () => (identifyProcess(pid) ? undefined : true));
    expect(findLeftovers(site)).toEqual([]);
    expect(git(site.repository, 'status', '--porcelain')).toBe('');
    expect(isHeld(site.repository, commit)).toBe(true);
  });
});

thoroughTest(
  'commands that come at the same time after a kill all do their work, and one of them settles it',
  async () => {
    const site = makeCrashSite();
    const work = workIn(site.ok('up', 'a'));
    site.killAt('down:snapshotted', 'down', 'a', '--discard-changes', '--discard-commits');
    const commands = [['ls'], ['ls'], ['snapshots'], ['up', 'c'], ['up', 'd'], ['doctor']];
    const outcomes = await Promise.all(
      commands.map(args => site.carrel.start(site.repository, ...args, '--json')),
    );
    expect(outcomes.map(({ status, stderr }) => ({ status, stderr }))).toEqual(
      commands.map(() => ({ status: 0, stderr: expect.not.stringContaining('warning') })),
    );
    expect(
      site
        .settle()
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(['c', 'd']);
    expect(hashFiles(site.ok('restore', 'a'))).toBe(work.hash);
  },
);

describe('what a killed process left', () => {
  thoroughTest('does not keep the repository locked', () => {
    const site = makeCrashSite();
    commitFiles(site.ok('up', 'a'), { 'x.txt': 'x\n' });
    site.killAt('land:merged', 'land', 'a');
    site.ok('up', 'b');
    site.ok('land', 'a');
    expect(site.settle()).toMatchObject([{ name: 'b' }]);
  });

  it.each(
    oneInSix([
      ['down:snapshotted', ['down', 'a']],
      ['snapshot:captured', ['snapshot', 'a']],
      ['up:registered', ['up', 'b']],
      ['land:moved', ['land', 'a']],
    ] as const),
  )('at %s in a repository that was deleted since, is settled too', (moment, args) => {
    const site = makeCrashSite();
    const path = site.ok('up', 'a');
    git(path, 'commit', '--quiet', '--allow-empty', '-m', 'something');
    if (args[0] === 'down') git(site.repository, 'merge', '--quiet', '--ff-only', 'carrel/a');
    site.killAt(moment, ...args);
    rmSync(site.repository, { recursive: true });
    const other = makeRepository();
    site.carrel.ok(other, 'up', 'x');
    expect(site.carrel.run(other, 'ls').stderr).toBe('');
    expect(readRecords(site.carrel.stateDir).journal).toEqual([]);
  });

  thoroughTest(
    'with files that cannot be assessed without their repository, is reported until the user has moved them',
    () => {
      // What was not settled is tried again when the process that tried has ended.
      useRealProcesses();
      const site = makeCrashSite();
      site.killAt('up:populated', 'up', 'a');
      const [record] = readRecords(site.carrel.stateDir).workspaces;
      rmSync(site.repository, { recursive: true });
      const other = makeRepository();
      const told = site.carrel.run(other, 'up', 'x');
      expect(told).toMatchObject({ status: 0, stderr: expect.stringContaining(record?.path ?? '?') });
      renameSync(record?.path ?? '', join(site.carrel.home, 'moved'));
      site.carrel.ok(other, 'ls');
      expect(site.carrel.run(other, 'ls').stderr).toBe('');
      expect(readRecords(site.carrel.stateDir)).toMatchObject({ journal: [], workspaces: [{ name: 'x' }] });
      expect(existsSync(join(site.carrel.home, 'moved/README.md'))).toBe(true);
    },
  );

  it('of commands that only look, in the temporary directory, is swept', () => {
    const site = makeCrashSite();
    const namespace = /\d+/.exec(readNamespace())?.[0] ?? '0';
    // An unused pid: above the largest that Linux assigns.
    writeFile(join(site.temporary, `carrel-4194305-${namespace}-abc`, 'index'), 'scratch');
    writeFile(join(site.temporary, 'carrel-4194305-1-abc', 'index'), 'of another pid namespace');
    writeFile(join(site.temporary, `carrel-${process.pid}-${namespace}-abc`, 'index'), 'of a living process');
    writeFileSync(join(site.temporary, `carrel-4194305-${namespace}-file`), 'no directory');
    site.ok('ls');
    expect(existsSync(join(site.temporary, `carrel-4194305-${namespace}-abc`))).toBe(false);
    expect(existsSync(join(site.temporary, 'carrel-4194305-1-abc'))).toBe(true);
    expect(existsSync(join(site.temporary, `carrel-${process.pid}-${namespace}-abc`))).toBe(true);
    expect(existsSync(join(site.temporary, `carrel-4194305-${namespace}-file`))).toBe(true);
  });
});

/** As in scratch-directory.ts: which world of pids a name speaks of. */
function readNamespace(): string {
  return existsSync('/proc/self/stat') ? readlinkSync('/proc/self/ns/pid') : '';
}
