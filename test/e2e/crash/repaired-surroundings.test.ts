import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { PoolReport } from '../../../src/domain/workspace/pool-report.js';
import type { WorkspaceDetails } from '../../../src/domain/workspace/workspace.js';
import { createCarrel } from '../../helpers/carrel.js';
import { loseDatabase } from '../../helpers/crash/lose-database.js';
import { thoroughTest } from '../../helpers/flavours.js';
import { jj, makeJjRepository, requireJj } from '../../helpers/git/jj.js';
import { overlayDir, requireOverlay } from '../../helpers/pool/overlay.js';
import { git, makeRepository } from '../../helpers/repository.js';
import { writeFile } from '../../helpers/task/config-files.js';
import { tempDir } from '../../helpers/temp.js';

test('repair quarantines slots of a lost pool, names lost tasks, and rebuilds no approval', () => {
  const carrel = createCarrel();
  const repository = makeRepository({ 'README.md': 'hello\n' });
  carrel.ok(repository, 'pool', 'warm', '1');
  const { slots } = carrel.json<PoolReport>(repository, 'pool', 'status');
  const task = join(carrel.stateDir, 'tasks', 'task_0123456789abcdef');
  mkdirSync(task, { recursive: true });
  writeFileSync(join(task, 'log.jsonl'), '');
  loseDatabase(carrel);
  const { stderr } = carrel.run(repository, 'doctor', '--repair');
  expect(stderr).toContain(`quarantined the pool slot ${slots[0]?.id}`);
  expect(stderr).toContain(`its log and outputs stay in ${task}`);
  expect(stderr).toContain('approvals of setup commands are never rebuilt');
  const after = carrel.json<PoolReport>(repository, 'pool', 'status');
  expect(after.slots).toMatchObject([{ id: slots[0]?.id, status: 'quarantined' }]);
  expect(existsSync(join(task, 'log.jsonl'))).toBe(true);
  carrel.ok(repository, 'pool', 'drain');
});

thoroughTest('repair says so when it cannot read the refs of a repository', () => {
  const carrel = createCarrel();
  const repository = makeRepository({ 'README.md': 'hello\n' });
  mkdirSync(join(repository, '.git/reftable'));
  expect(carrel.run(repository, 'doctor', '--repair').stderr).toContain(
    `nothing was rebuilt for ${repository}: it uses the reftable ref format`,
  );
});

function moveRepository(repository: string): string {
  const moved = join(tempDir(), 'elsewhere');
  renameSync(repository, moved);
  return moved;
}

thoroughTest('the link of an overlay follows a repository that was moved', async context => {
  await requireOverlay(context);
  const home = overlayDir();
  const carrel = createCarrel(home);
  writeFile(join(home, 'config/carrel/config.yaml'), 'workspace:\n  files: overlay\n');
  const repository = makeRepository({ 'a.txt': 'a\n' });
  const path = carrel.ok(repository, 'up', 'a');
  writeFileSync(join(path, 'work.txt'), 'work');
  const moved = moveRepository(repository);
  expect(carrel.json<WorkspaceDetails[]>(moved, 'ls')).toMatchObject([
    { backend: 'overlay', repository: moved, warnings: [], changes: { untracked: 1 } },
  ]);
  expect(git(path, 'rev-parse', '--git-common-dir')).toBe(join(moved, '.git'));
  carrel.ok(moved, 'down', 'a', '--discard-changes');
  const restored = carrel.ok(moved, 'restore', 'a');
  expect(readFileSync(join(restored, 'work.txt'), 'utf8')).toBe('work');
  carrel.ok(moved, 'down', 'a', '--discard-changes');
});

thoroughTest('the link of a jj workspace follows a repository that was moved', async context => {
  requireJj(context);
  const carrel = createCarrel();
  const repository = makeJjRepository('colocated');
  const path = carrel.ok(repository, 'up', 'a', '--isolation', 'worktree');
  writeFileSync(join(path, 'work.txt'), 'work');
  const moved = moveRepository(repository);
  expect(carrel.json<WorkspaceDetails[]>(moved, 'ls')).toMatchObject([
    { backend: 'jj', repository: moved, warnings: [] },
  ]);
  expect(jj(path, 'status')).toContain('work.txt');
});
