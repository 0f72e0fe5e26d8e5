import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { DoctorReport, LandResult } from '../../../src/domain/report/result.js';
import type { Workspace, WorkspaceDetails } from '../../../src/domain/workspace/workspace.js';
import { readTree } from '../../../src/workspace/contract/file-tree.js';
import { createCarrel } from '../../helpers/carrel.js';
import { flavours, sampleOf, thoroughTest } from '../../helpers/flavours.js';
import {
  describeUser,
  type JjForm,
  jj,
  jjCommit,
  jjEnv,
  makeJjRepository,
  requireJj,
} from '../../helpers/git/jj.js';
import { commitFiles, git, makeRepository, writeFiles } from '../../helpers/repository.js';
import { tempDir } from '../../helpers/temp.js';

beforeEach(requireJj);

const jjCarrel = () => createCarrel(tempDir(), { ...jjEnv(), HOME: tempDir() });

for (const form of flavours<JjForm>('colocated', 'plain')) {
  describe(`a ${form} jj repository`, () => {
    test('up, edit, diff, snapshot, land: the work is on the bookmark, and the workspace is gone', () => {
      const carrel = jjCarrel();
      const repository = makeJjRepository(form, { 'README.md': 'hello\n', '.gitignore': '.env\n' });
      writeFiles(repository, {
        'README.md': 'the user’s edit\n',
        '.env': 'SECRET=1\n',
        '.worktreeinclude': '.env\n',
      });
      const before = describeUser(repository, form);
      const made = carrel.json<Workspace>(repository, 'up', 'a');
      expect(made).toMatchObject({ backend: 'jj', branch: 'carrel/a', base: { ref: 'main' }, warnings: [] });
      expect(readFileSync(join(made.path, '.env'), 'utf8')).toBe('SECRET=1\n');
      expect(describeUser(repository, form)).toEqual(before);
      writeFiles(made.path, { 'a.txt': 'a\n' });
      jj(made.path, 'commit', '-m', 'adds a');
      writeFiles(made.path, { 'b.txt': 'b\n' });
      const [listed] = carrel.json<WorkspaceDetails[]>(repository, 'ls');
      expect(listed).toMatchObject({ name: 'a', ahead: 1, behind: 0, changes: { untracked: 1, staged: 0 } });
      expect(carrel.ok(repository, 'diff', 'a', '--name-only')).toBe('a.txt\nb.txt');
      expect(carrel.ok(repository, 'snapshot', 'a', '-m', 'half way')).toMatch(/^snap_/);
      expect(carrel.error(repository, 'land', 'a')).toMatchObject({ code: 'LAND_UNCOMMITTED' });
      expect(describeUser(repository, form)).toEqual(before);
      const landed = carrel.json<LandResult>(repository, 'land', 'a', '-m', 'adds b');
      expect(landed).toMatchObject({ into: 'main', commits: 2, removed: { deletedBranch: 'carrel/a' } });
      expect(existsSync(made.path)).toBe(false);
      expect(jj(repository, 'file', 'list', '-r', 'main').split('\n')).toEqual(
        expect.arrayContaining(['a.txt', 'b.txt']),
      );
      expect(readFileSync(join(repository, 'README.md'), 'utf8')).toBe('the user’s edit\n');
      expect(jj(repository, 'workspace', 'list', '-T', 'name')).toBe('default');
    });

    test('down refuses while there is work, and restore brings back every byte of what it took', () => {
      const carrel = jjCarrel();
      const repository = makeJjRepository(form, { 'README.md': 'hello\n', '.gitignore': '*.log\n' });
      const { path } = carrel.json<Workspace>(repository, 'up', 'a');
      writeFiles(path, { 'done.txt': 'done\n' });
      jj(path, 'commit', '-m', 'done');
      writeFiles(path, { 'README.md': 'edited\n', 'new.txt': 'new\n', 'run.log': 'ignored\n' });
      mkdirSync(join(path, 'empty'));
      const before = readTree(path);
      const refusal = carrel.error(repository, 'down', 'a');
      expect(refusal.code).toBe('REMOVAL_REFUSED');
      const tip = jjCommit(repository, `a@-`);
      carrel.ok(repository, 'down', 'a', '--discard-changes', '--discard-commits');
      expect(existsSync(path)).toBe(false);
      const restored = carrel.json<Workspace>(repository, 'restore', 'a');
      expect(restored).toMatchObject({ backend: 'jj', branch: 'carrel/a', path });
      expect(readTree(path)).toEqual(before);
      expect(jjCommit(repository, `a@-`)).toBe(tip);
      expect(carrel.ok(repository, 'diff', 'a', '--name-only')).toBe('README.md\ndone.txt\nnew.txt');
    });

    thoroughTest('workspaces are found from inside of one, and none is made there', () => {
      const carrel = jjCarrel();
      const repository = makeJjRepository(form);
      const { path } = carrel.json<Workspace>(repository, 'up', 'a');
      expect(carrel.json<WorkspaceDetails[]>(path, 'ls').map(({ name }) => name)).toEqual(['a']);
      expect(carrel.error(path, 'up', 'b')).toMatchObject({ code: 'INSIDE_WORKTREE' });
    });
  });
}

thoroughTest('several can be created and removed at the same time', async () => {
  const carrel = jjCarrel();
  const repository = makeJjRepository('colocated');
  writeFiles(repository, { 'README.md': 'the user’s edit\n' });
  const before = describeUser(repository, 'colocated');
  const names = ['a', 'b', 'c', 'd'];
  const made = await Promise.all(names.map(name => carrel.start(repository, 'up', name)));
  expect(made.map(({ status, stderr }) => ({ status, stderr }))).toEqual(
    names.map(() => ({ status: 0, stderr: '' })),
  );
  for (const { stdout } of made) expect(jj(stdout.trimEnd(), 'status')).toContain('has no changes');
  const removed = await Promise.all(names.map(name => carrel.start(repository, 'down', name)));
  expect(removed.map(({ status }) => status)).toEqual(names.map(() => 0));
  expect(jj(repository, '--ignore-working-copy', 'workspace', 'list', '-T', 'name')).toBe('default');
  expect(describeUser(repository, 'colocated')).toEqual(before);
});

thoroughTest('each workspace sees the commits and operations of the others', () => {
  const carrel = jjCarrel();
  const repository = makeJjRepository('colocated');
  const [a, b] = ['a', 'b'].map(name => carrel.json<Workspace>(repository, 'up', name).path) as [
    string,
    string,
  ];
  writeFiles(a, { 'a.txt': 'a\n' });
  jj(a, 'commit', '-m', 'by the first');
  expect(existsSync(join(b, 'a.txt'))).toBe(false);
  expect(jj(b, 'log', '--no-graph', '-r', 'all()', '-T', 'description')).toContain('by the first');
  expect(jj(b, 'op', 'log', '--no-graph', '-T', 'tags ++ "\\n"')).toContain("-m 'by the first'");
});

test('a colocated repository gives a plain git worktree on request', () => {
  const carrel = jjCarrel();
  const repository = makeJjRepository('colocated');
  const made = carrel.json<Workspace>(repository, 'up', 'a', '--git-worktree', repository);
  expect(made).toMatchObject({ backend: 'git', branch: 'carrel/a' });
  expect(git(made.path, 'symbolic-ref', '--short', 'HEAD')).toBe('carrel/a');
  expect(carrel.json<WorkspaceDetails[]>(repository, 'ls')).toMatchObject([{ name: 'a', backend: 'git' }]);
});

test('a git repository inside of a jj repository is a git repository', () => {
  const carrel = jjCarrel();
  const repository = makeJjRepository('plain');
  const inner = makeRepository({ 'a.txt': 'a\n' }, join(repository, 'vendor/inner'));
  commitFiles(inner, { 'b.txt': 'b\n' });
  expect(carrel.json<Workspace>(inner, 'up', 'a')).toMatchObject({ backend: 'git', repository: inner });
});

thoroughTest('without jj on the machine a jj repository is refused with what to do', () => {
  const repository = makeJjRepository('colocated');
  const bin = tempDir();
  const carrel = createCarrel(tempDir(), { PATH: [bin, '/usr/bin', '/bin'].join(':') });
  expect(carrel.error(repository, 'up', 'a')).toMatchObject({
    code: 'JJ_MISSING',
    hint: expect.stringContaining('--git-worktree'),
  });
  const { stdout } = carrel.run(repository, 'doctor', '--json');
  const { checks } = JSON.parse(stdout) as DoctorReport;
  expect(checks.find(({ name }) => name === 'jj')).toMatchObject({ status: 'problem' });
  expect(carrel.json<Workspace>(repository, 'up', 'a', '--git-worktree', '.')).toMatchObject({
    backend: 'git',
  });
});

describe('killed', () => {
  function makeSite() {
    const carrel = jjCarrel();
    const repository = makeJjRepository('colocated', { 'README.md': 'hello\n', '.gitignore': '*.log\n' });
    writeFiles(repository, { 'README.md': 'the user’s edit\n' });
    return {
      carrel,
      repository,
      before: describeUser(repository, 'colocated'),
      killAt: (moment: string, ...args: string[]) => {
        const outcome = carrel.runWith({ CARREL_TEST_KILL_AT: moment }, repository, ...args);
        expect(outcome, moment).toMatchObject({ signal: 'SIGKILL' });
      },
      list: () => carrel.json<WorkspaceDetails[]>(repository, 'ls'),
    };
  }

  /** Names of what jj and git have of workspaces. */
  const remainsIn = (repository: string): string[] => [
    ...jj(repository, '--ignore-working-copy', 'workspace', 'list', '-T', 'name ++ "\\n"').split('\n'),
    ...git(repository, 'for-each-ref', '--format=%(refname)', 'refs/heads', 'refs/carrel/workspaces').split(
      '\n',
    ),
  ];

  const UP = sampleOf(['recorded', 'registered', 'populated', 'prepared']);
  test.each(UP)('up at "%s" leaves nothing behind', step => {
    const site = makeSite();
    site.killAt(`up:${step}`, 'up', 'a');
    expect(site.list()).toEqual([]);
    expect(remainsIn(site.repository)).toEqual(['default', 'refs/heads/main']);
    expect(describeUser(site.repository, 'colocated')).toEqual(site.before);
    expect(site.carrel.json<Workspace>(site.repository, 'up', 'a')).toMatchObject({ backend: 'jj' });
  });

  const DOWN = sampleOf(['set-aside', 'captured', 'snapshotted', 'unregistered'], 'captured');
  test.each(DOWN)('down at "%s" loses nothing', step => {
    const site = makeSite();
    const { path } = site.carrel.json<Workspace>(site.repository, 'up', 'a');
    writeFiles(path, { 'new.txt': 'new\n', 'run.log': 'ignored\n' });
    const work = readTree(path);
    site.killAt(`down:${step}`, 'down', 'a', '--discard-changes');
    const isBack = site.list().length > 0;
    expect(isBack).toBe(['set-aside', 'captured'].includes(step));
    if (!isBack) {
      expect(remainsIn(site.repository)).toEqual(['default', 'refs/heads/main']);
      site.carrel.ok(site.repository, 'restore', 'a');
    }
    expect(readTree(path)).toEqual(work);
    expect(describeUser(site.repository, 'colocated')).toEqual(site.before);
  });

  test.each(sampleOf(['merged', 'moved']))('land at "%s" has landed all or nothing', step => {
    const site = makeSite();
    const { path } = site.carrel.json<Workspace>(site.repository, 'up', 'a');
    writeFiles(path, { 'new.txt': 'new\n' });
    jj(path, 'commit', '-m', 'new');
    site.killAt(`land:${step}`, 'land', 'a');
    expect(site.list()).toMatchObject([{ name: 'a', ahead: step === 'moved' ? 0 : 1 }]);
    const again = site.carrel.run(site.repository, step === 'moved' ? 'down' : 'land', 'a');
    expect(again, again.stderr).toMatchObject({ status: 0 });
    expect(jj(site.repository, 'file', 'list', '-r', 'main')).toContain('new.txt');
  });
});
