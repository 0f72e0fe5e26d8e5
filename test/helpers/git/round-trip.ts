import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { captureWorkTree } from '../../../src/git/snapshot/capture/capture.js';
import type { Captured, CaptureWorkTreeRequest } from '../../../src/git/snapshot/capture/capture-request.js';
import { restoreWorkTree } from '../../../src/git/snapshot/restore/restore-work-tree.js';
import { readSnapshotMeta, type SnapshotMeta } from '../../../src/git/snapshot/snapshot-meta.js';
import { examineObjects } from '../../../src/git/snapshot/verify/examine-objects.js';
import { tryRestore } from '../../../src/git/snapshot/verify/try-restore.js';
import { verifySnapshot } from '../../../src/git/snapshot/verify/verify.js';
import type { WorkTreePlace } from '../../../src/git/work-tree-place.js';
import { fingerprint } from '../fingerprint.js';
import { isThorough } from '../flavours.js';
import { git } from '../repository.js';
import { removeTree, tempDir } from '../temp.js';
import { testGit } from './test-git.js';

export const REF = 'refs/carrel/snapshots/test';

/** A worktree of the repository on its own branch. */
export function addWorktree(repository: string, branch = 'carrel/work'): string {
  const path = join(tempDir(), 'work');
  git(repository, 'worktree', 'add', '--quiet', '-b', branch, path);
  return path;
}

export const placeOf = (workTree: string): WorkTreePlace => ({
  workTree,
  gitDir: git(workTree, 'rev-parse', '--absolute-git-dir'),
  commonDir: git(workTree, 'rev-parse', '--path-format=absolute', '--git-common-dir'),
});

/** Where snapshots of the repository keep what git must never send. */
const keptBeside = (commonDir: string): string => join(commonDir, '..', '..', 'kept');

export function captureRequest(overrides: Partial<CaptureWorkTreeRequest> = {}): CaptureWorkTreeRequest {
  return {
    ref: REF,
    message: null,
    limits: { ignoredBytes: 50_000_000, regenerable: ['node_modules'] },
    now: new Date('2026-01-02T03:04:05Z'),
    temporaryRoot: tempDir(),
    ...overrides,
  };
}

export interface RoundTrip {
  readonly captured: Captured;
  readonly meta: SnapshotMeta;
  readonly restored: string;
  readonly warnings: readonly string[];
}

/**
 * Takes a snapshot, loses the work tree with its admin directory and everything that nothing pins, restores into a
 * fresh worktree elsewhere, and expects it to be the same to the byte and to git. The repository itself stays as it is.
 */
export async function expectRoundTrip(
  repository: string,
  workTree: string,
  overrides: Partial<CaptureWorkTreeRequest> = {},
  left: (path: string) => boolean = () => true,
): Promise<RoundTrip> {
  const before = observe(workTree, left);
  const repositoryBefore = fingerprint(repository);
  const captured = await captureWithoutTrace(workTree, overrides);
  expect(fingerprint(repository)).toEqual(repositoryBefore);
  loseWorkTree(repository, workTree);
  const { restored, meta, warnings } = await restoreElsewhere(repository, captured.commit);
  expect(observe(restored, left)).toEqual(before);
  expectSound(repository);
  return { captured, meta, restored, warnings };
}

async function captureWithoutTrace(
  workTree: string,
  overrides: Partial<CaptureWorkTreeRequest>,
): Promise<Captured> {
  const place = placeOf(workTree);
  const untouched = () => ({
    files: listFiles(workTree),
    admin: listFiles(place.gitDir),
    index: indexTime(place),
  });
  const before = untouched();
  const request = captureRequest({ keptDir: keptBeside(place.commonDir), ...overrides });
  const captured = await captureWorkTree(testGit(), place, request);
  expect(untouched()).toEqual(before);
  expect(readdirSync(request.temporaryRoot)).toEqual([]);
  return captured;
}

const indexTime = (place: WorkTreePlace): number | undefined =>
  lstatSync(join(place.gitDir, 'index'), { throwIfNoEntry: false })?.mtimeMs;

/** The directory, its registration, its branch, and all objects that only they kept. */
export function loseWorkTree(repository: string, workTree: string): void {
  const { gitDir } = placeOf(workTree);
  const branch = /^ref: (.+)$/m.exec(readFileSync(join(gitDir, 'HEAD'), 'utf8'))?.[1];
  removeTree(workTree);
  rmSync(gitDir, { recursive: true });
  if (branch?.startsWith('refs/heads/carrel/')) git(repository, 'update-ref', '-d', branch);
  git(repository, 'gc', '--quiet', '--prune=now');
}

export async function restoreElsewhere(repository: string, commit: string) {
  const restored = join(tempDir(), 'restored');
  const commonDir = git(repository, 'rev-parse', '--path-format=absolute', '--git-common-dir');
  const meta = await readSnapshotMeta(testGit(), commonDir, commit);
  git(
    repository,
    'worktree',
    'add',
    '--quiet',
    '--no-checkout',
    '--detach',
    restored,
    meta.head.commit ?? 'main',
  );
  if (meta.head.ref && meta.head.commit) git(repository, 'update-ref', meta.head.ref, meta.head.commit);
  if (meta.head.ref) git(restored, 'symbolic-ref', 'HEAD', meta.head.ref);
  const keptDir = keptBeside(commonDir);
  const request = { commit, keptDir, temporaryRoot: tempDir() };
  const { warnings } = await restoreWorkTree(testGit(), placeOf(restored), request);
  expect(readdirSync(request.temporaryRoot)).toEqual([]);
  expect(await verifySnapshot(testGit(), { objectStore: commonDir, ref: REF, keptDir })).toBe(commit);
  if (isThorough) await expectDeeplyWhole(commonDir, commit, keptDir, warnings);
  return { restored, meta, warnings };
}

/** Runs the check of `doctor --deep`: it finds no problem in any snapshot. */
async function expectDeeplyWhole(
  objectStore: string,
  commit: string,
  keptDir: string,
  warnings: readonly string[],
): Promise<void> {
  const request = { objectStore, ref: REF, commit, isDirectory: false, keptDir };
  expect(await examineObjects(testGit(), request)).toEqual([]);
  const trial = { ...request, scratch: tempDir(), requireRoom: async () => {} };
  // Repositories of a sandbox come back in this trial alone.
  const told = (await tryRestore(testGit(), trial)).filter(line => !warnings.includes(line));
  expect(told).toEqual([]);
}

export function expectSound(repository: string): void {
  expect(git(repository, 'fsck', '--no-dangling', '--no-progress')).toBe('');
}

/** What a work tree is to its user and to git. */
export function observe(workTree: string, left: (path: string) => boolean = () => true) {
  const query = (...args: string[]) => git(workTree, '--no-optional-locks', ...args);
  return {
    files: Object.fromEntries(Object.entries(listFiles(workTree)).filter(([path]) => left(path))),
    status: query('status', '--porcelain=v2', '--branch', '--untracked-files=all', '--ignore-submodules=all'),
    index: query('ls-files', '--stage', '-v'),
    resolveUndo: query('ls-files', '--resolve-undo'),
  };
}

/** Mode and content of everything below a directory, without the `.git` at its top; names are byte strings. */
export function listFiles(root: string): Record<string, string> {
  const listed: Record<string, string> = {};
  const visit = (path: Buffer, name: string): void => {
    const stats = lstatSync(path);
    listed[name] = `${stats.mode.toString(8)} ${describeContent(path)}`;
    if (!stats.isDirectory()) return;
    for (const child of readdirSync(path, { encoding: 'latin1' }).sort()) {
      if (name === '' && child === '.git') continue;
      const childPath = Buffer.concat([path, Buffer.from('/'), Buffer.from(child, 'latin1')]);
      visit(childPath, name === '' ? child : `${name}/${child}`);
    }
  };
  visit(Buffer.from(root), '');
  return listed;
}

function describeContent(path: Buffer): string {
  const stats = lstatSync(path);
  if (stats.isSymbolicLink()) return `-> ${readlinkSync(path, { encoding: 'latin1' })}`;
  return stats.isFile() ? createHash('sha256').update(readFileSync(path)).digest('hex') : '';
}
