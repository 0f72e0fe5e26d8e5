import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fingerprint } from '../../../test/helpers/fingerprint.js';
import {
  commitFiles,
  gitEnv,
  makeRepository,
  git as plainGit,
  writeFiles,
} from '../../../test/helpers/repository.js';
import { tempDir } from '../../../test/helpers/temp.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { gitEnvironment } from '../../exec/command-environment.js';
import { runProcess } from '../../exec/run-process.js';
import { createGit } from '../../git/git.js';
import { backendContract } from '../backend-contract.js';
import { describeWorkspace } from '../contract/backend-subject.js';
import { writeTree } from '../contract/file-tree.js';
import { createDirectBackend } from './backend.js';

const git = createGit({ run: runProcess, env: gitEnvironment(gitEnv()) });

backendContract('direct inside git', async files => {
  const source = makeRepository({}, join(tempDir(), 'repository'));
  writeTree(source, files);
  commitFiles(source, {}, 'base');
  return {
    backend: createDirectBackend({ git, temporaryRoot: tempDir(), keptDir: tempDir() }),
    git,
    source,
    path: source,
    scratch: tempDir(),
  };
});

describe('direct', () => {
  async function recordFor(
    path: string,
  ): Promise<{ backend: ReturnType<typeof createDirectBackend>; record: WorkspaceRecord }> {
    const backend = createDirectBackend({ git, temporaryRoot: tempDir(), keptDir: tempDir() });
    const place = { backend, git, source: path, path, scratch: path };
    return { backend, record: await describeWorkspace(place, await backend.locate(path), 'direct') };
  }

  async function diffOf({ backend, record }: Awaited<ReturnType<typeof recordFor>>): Promise<string> {
    const chunks: Buffer[] = [];
    await backend.diffing?.diff(record, 'patch', chunk => void chunks.push(chunk));
    return Buffer.concat(chunks).toString('utf8');
  }

  test('a directory outside of git is its own repository and can only be inspected', async () => {
    const directory = tempDir();
    writeFiles(directory, { 'a.txt': 'a' });
    const { backend, record } = await recordFor(directory);
    expect(record).toMatchObject({
      repository: directory,
      commonDir: null,
      branch: null,
      base: { ref: null, commit: null },
    });
    const [inspection] = await backend.inspect([record], { size: true });
    expect(inspection).toMatchObject({
      presence: { kind: 'present' },
      branch: null,
      head: null,
      changes: null,
      ahead: null,
    });
    expect(inspection?.sizeBytes).toBeGreaterThan(0);
    await expect(diffOf({ backend, record })).rejects.toMatchObject({ code: 'NOT_SUPPORTED' });
    expect(() => backend.snapshots?.place(record, 'snap_1')).toThrow(
      "a direct workspace can't be snapshotted outside of git",
    );
  });

  test('the diff has commits, edits and new files since creation, and the repository is unchanged', async () => {
    const repository = makeRepository({ 'a.txt': 'a\n' });
    const subject = await recordFor(repository);
    commitFiles(repository, { 'committed.txt': 'c\n' });
    writeFiles(repository, { 'a.txt': 'edited\n', 'new.txt': 'n\n' });
    const before = fingerprint(repository);
    const patch = await diffOf(subject);
    for (const name of ['a.txt', 'committed.txt', 'new.txt']) expect(patch).toContain(`b/${name}`);
    const [inspection] = await subject.backend.inspect([subject.record], { size: false });
    expect(inspection).toMatchObject({
      branch: 'main',
      changes: { staged: 0, unstaged: 1, untracked: 1, conflicted: 0 },
      ahead: 1,
      behind: 0,
      conflictsWithBase: false,
    });
    expect(fingerprint(repository)).toEqual(before);
  });

  test('a subdirectory means its whole checkout', async () => {
    const repository = makeRepository({ 'a.txt': 'a\n', 'web/b.txt': 'b\n' });
    const { backend, record } = await recordFor(join(repository, 'web'));
    expect(record).toMatchObject({
      repository,
      path: join(repository, 'web'),
      commonDir: join(repository, '.git'),
    });
    writeFiles(repository, { 'a.txt': 'edited\n' });
    expect(await diffOf({ backend, record })).toContain('b/a.txt');
  });

  test('a linked worktree is inspected with its own HEAD', async () => {
    const repository = makeRepository({ 'a.txt': 'a\n' });
    const worktree = join(tempDir(), 'worktree');
    plainGit(repository, 'worktree', 'add', '--quiet', '-b', 'side', worktree);
    const commit = commitFiles(worktree, { 'b.txt': 'b\n' });
    const { backend, record } = await recordFor(worktree);
    expect(record.base).toEqual({ ref: 'side', commit });
    expect((await backend.inspect([record], { size: false }))[0]).toMatchObject({
      branch: 'side',
      head: commit,
    });
  });

  test('the diff of a repository without commits has every file', async () => {
    const repository = join(tempDir(), 'repository');
    writeFiles(repository, { 'a.txt': 'a\n' });
    plainGit(repository, 'init', '--quiet', '--initial-branch=main');
    const subject = await recordFor(repository);
    expect(subject.record.base).toEqual({ ref: 'main', commit: null });
    expect(await diffOf(subject)).toContain('b/a.txt');
  });

  test('a directory that became part of another repository is reported replaced', async () => {
    const repository = makeRepository();
    const { backend, record } = await recordFor(repository);
    const stranger = { ...record, commonDir: '/elsewhere/.git' };
    const [inspection] = await backend.inspect([stranger], { size: false });
    expect(inspection?.presence).toEqual({ kind: 'replaced', found: 'part of another repository' });
  });

  test('an unknown base is reported by name', async () => {
    const backend = createDirectBackend({ git, temporaryRoot: tempDir(), keptDir: tempDir() });
    const repository = await backend.locate(makeRepository());
    await expect(backend.resolve(repository, { base: 'none' })).rejects.toMatchObject({
      code: 'UNKNOWN_BASE',
    });
    const plain = await backend.locate(tempDir());
    await expect(backend.resolve(plain, { base: 'main' })).rejects.toMatchObject({ code: 'UNKNOWN_BASE' });
  });

  test('a snapshot is never written over the directory that it came from', async () => {
    const repository = makeRepository({ 'a.txt': 'a\n' });
    const { backend, record } = await recordFor(repository);
    const hooks = { onStep: async () => {}, exclusively: <T>(action: () => Promise<T>) => action() };
    const created = backend.create(record, { ...hooks, from: {} as never });
    await expect(created).rejects.toMatchObject({ code: 'NOT_SUPPORTED' });
    expect(readFileSync(join(repository, 'a.txt'), 'utf8')).toBe('a\n');
    expect(existsSync(join(repository, '.git'))).toBe(true);
  });
});
