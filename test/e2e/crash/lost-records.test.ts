import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { expect, test, vi } from 'vitest';
import type { Snapshot } from '../../../src/domain/snapshot/snapshot.js';
import type { WorkspaceDetails } from '../../../src/domain/workspace/workspace.js';
import { type Carrel, createCarrel } from '../../helpers/carrel.js';
import { keepDatabase, loseDatabase } from '../../helpers/crash/lose-database.js';
import { thoroughTest } from '../../helpers/flavours.js';
import { git, makeRepository } from '../../helpers/repository.js';
import { tempDir } from '../../helpers/temp.js';

/** A repository with the workspace `a`, which has a change, and the snapshot of `b`, which is gone. */
function makeSite() {
  const carrel = createCarrel();
  const repository = makeRepository({ 'README.md': 'hello\n' });
  const path = carrel.ok(repository, 'up', 'a', '--isolation', 'worktree');
  writeFileSync(join(path, 'work.txt'), 'work\n');
  const other = carrel.ok(repository, 'up', 'b', '--isolation', 'worktree');
  writeFileSync(join(other, 'kept.txt'), 'kept\n');
  carrel.ok(repository, 'down', 'b', '--discard-changes');
  return { carrel, repository, path };
}

const names = (carrel: Carrel, cwd: string) =>
  carrel.json<WorkspaceDetails[]>(cwd, 'ls').map(({ name }) => name);
const snapshots = (carrel: Carrel, cwd: string) => carrel.json<Snapshot[]>(cwd, 'snapshots');
const strip = ({ lastActivityAt, ports, ...rest }: WorkspaceDetails) => rest;

test('a database that was moved aside is noticed and rebuilt from the repository', () => {
  const { carrel, repository, path } = makeSite();
  const [before] = carrel.json<WorkspaceDetails[]>(repository, 'ls');
  const [taken] = snapshots(carrel, repository);
  loseDatabase(carrel);
  for (const command of [['ls'], ['snapshots'], ['gc']])
    expect(carrel.run(repository, ...command).stderr).toContain(
      'has 1 workspace and 1 snapshot without a record; rebuild the records with: carrel doctor --repair',
    );
  const doctor = carrel.run(repository, 'doctor');
  expect(doctor.status).not.toBe(0);
  expect(doctor.stdout).toMatch(/✗ records .*has 1 workspace and 1 snapshot without a record/);
  const { stderr } = carrel.run(repository, 'doctor', '--repair');
  expect(stderr).toContain('rebuilt the workspace a');
  expect(stderr).toContain(`rebuilt the snapshot ${taken?.id} of b`);
  const [after] = carrel.json<WorkspaceDetails[]>(repository, 'ls');
  expect(strip(after as WorkspaceDetails)).toEqual(strip(before as WorkspaceDetails));
  expect(snapshots(carrel, repository)).toEqual([{ ...taken, expiresAt: expect.any(String) }]);
  expect(carrel.run(repository, 'doctor', '--repair').stderr).toContain('nothing to rebuild');
  const restored = carrel.ok(repository, 'restore', 'b');
  expect(readFileSync(join(restored, 'kept.txt'), 'utf8')).toBe('kept\n');
  expect(carrel.run(repository, 'down', 'a').stderr).toContain('work.txt');
  expect(readFileSync(join(path, 'work.txt'), 'utf8')).toBe('work\n');
});

thoroughTest(
  "workspaces of an earlier Carrel, without a record file, are rebuilt from git's data",
  async () => {
    const { carrel, repository, path } = makeSite();
    const [taken] = snapshots(carrel, repository);
    loseDatabase(carrel);
    rmSync(join(repository, '.git', 'carrel'), { recursive: true });
    const { ref, commit } = taken as Snapshot & { commit: string };
    const parents = git(repository, 'rev-parse', `${commit}^@`)
      .split('\n')
      .flatMap(parent => ['-p', parent]);
    const plain = git(repository, 'commit-tree', ...parents, '-m', 'carrel: snapshot', `${commit}^{tree}`);
    git(repository, 'update-ref', ref, plain);
    carrel.run(repository, 'doctor', '--repair');
    expect(carrel.json<WorkspaceDetails[]>(repository, 'ls')).toMatchObject([
      { name: 'a', path, branch: 'carrel/a', changes: { untracked: 1 } },
    ]);
    const restored = carrel.ok(repository, 'restore', 'b');
    expect(readFileSync(join(restored, 'kept.txt'), 'utf8')).toBe('kept\n');
  },
);

thoroughTest(
  'a checkpoint in an older database that nothing pins any more is forgotten and never offered',
  async () => {
    const carrel = createCarrel(undefined, { CARREL_CHECKPOINTS: 'on' });
    const repository = makeRepository({ 'README.md': 'hello\n' });
    carrel.ok(repository, 'up', 'a', '--isolation', 'worktree');
    carrel.ok(repository, 'exec', 'a', '--', 'sh', '-c', 'echo work > work.txt');
    await vi.waitUntil(() => snapshots(carrel, repository).length === 1, { timeout: 60_000 });
    const [checkpoint] = snapshots(carrel, repository);
    const old = keepDatabase(carrel);
    carrel.ok(repository, 'land', 'a', '-m', 'work');
    expect(git(repository, 'for-each-ref', String(checkpoint?.ref))).toBe('');
    loseDatabase(carrel);
    cpSync(old, carrel.stateDir, { recursive: true });
    expect(carrel.run(repository, 'doctor', '--repair').stderr).toContain(
      `dropped the record of the checkpoint ${checkpoint?.id} of a: its ref is gone`,
    );
    expect(snapshots(carrel, repository).map(({ reason }) => reason)).toEqual(['land']);
    expect(carrel.run(repository, 'down', 'a').stderr).not.toContain(String(checkpoint?.id));
  },
);

thoroughTest(
  'a database older than the repository gets its missing records, and an unreadable row is rebuilt',
  () => {
    const { carrel, repository } = makeSite();
    const file = join(carrel.stateDir, 'carrel.db');
    const database = new Database(file);
    database.exec("update workspaces set details = '{' where name = 'a'; delete from snapshots");
    database.close();
    expect(names(carrel, repository)).toEqual([]);
    expect(carrel.run(repository, 'doctor').stdout).toContain('of workspaces cannot be read');
    const { stderr } = carrel.run(repository, 'doctor', '--repair');
    expect(stderr).toContain(`kept a copy of the records: ${file}.before-repair`);
    expect(existsSync(`${file}.before-repair`)).toBe(true);
    expect(names(carrel, repository)).toEqual(['a']);
    expect(snapshots(carrel, repository)).toHaveLength(1);
  },
);

thoroughTest('a plain copy of a directory and its snapshot are rebuilt from the vault', () => {
  const carrel = createCarrel();
  const directory = tempDir();
  writeFileSync(join(directory, 'a.txt'), 'a\n');
  const path = carrel.ok(directory, 'up', 'copied', '--copy', directory);
  writeFileSync(join(path, 'b.txt'), 'b\n');
  carrel.ok(directory, 'snapshot', 'copied');
  loseDatabase(carrel);
  carrel.run(directory, 'doctor', '--repair');
  expect(carrel.json<WorkspaceDetails[]>(directory, 'ls', '--all')).toMatchObject([{ name: 'copied', path }]);
  const [taken] = carrel.json<Snapshot[]>(directory, 'snapshots', '--all');
  expect(taken).toMatchObject({ workspaceName: 'copied', backend: 'directory', repository: directory });
  const restored = carrel.ok(directory, 'restore', taken?.id as string, '--as', 'again');
  expect(readFileSync(join(restored, 'b.txt'), 'utf8')).toBe('b\n');
});

thoroughTest('workspaces and snapshots follow a repository that was moved', () => {
  const { carrel, repository, path } = makeSite();
  const moved = join(tempDir(), 'elsewhere');
  renameSync(repository, moved);
  const first = carrel.run(moved, 'ls', '--all');
  expect(first.stderr).toContain(`the repository was moved from ${repository}`);
  expect(carrel.json<WorkspaceDetails[]>(moved, 'ls')).toMatchObject([
    { name: 'a', repository: moved, warnings: [], changes: { untracked: 1 } },
  ]);
  expect(git(path, 'rev-parse', '--git-common-dir')).toBe(join(moved, '.git'));
  expect(existsSync(join(carrel.ok(moved, 'restore', 'b'), 'kept.txt'))).toBe(true);
  carrel.ok(moved, 'down', 'a', '--discard-changes');
  expect(snapshots(carrel, moved)).toHaveLength(2);
});

thoroughTest(
  'a new clone at the old path inherits nothing, and the old one has its own where it is now',
  () => {
    const { carrel, repository } = makeSite();
    const moved = join(tempDir(), 'elsewhere');
    renameSync(repository, moved);
    mkdirSync(repository);
    git(repository, 'clone', '--quiet', moved, '.');
    expect(names(carrel, repository)).toEqual([]);
    expect(snapshots(carrel, repository)).toEqual([]);
    carrel.ok(repository, 'up', 'a', '--isolation', 'worktree');
    expect(names(carrel, moved)).toEqual(['a']);
    expect(snapshots(carrel, moved)).toHaveLength(1);
    expect(names(carrel, repository)).toEqual(['a']);
  },
);

thoroughTest('a copy of a repository leaves the records with the original', () => {
  const { carrel, repository } = makeSite();
  const copy = join(tempDir(), 'copy');
  cpSync(repository, copy, { recursive: true });
  expect(names(carrel, copy)).toEqual([]);
  expect(carrel.run(copy, 'doctor', '--repair').stderr).not.toContain('rebuilt');
  expect(names(carrel, repository)).toEqual(['a']);
  expect(snapshots(carrel, repository)).toHaveLength(1);
});
