import { existsSync, lstatSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { RemovalResult } from '../../src/domain/result.js';
import type { RemovalFlag, Risk, RiskKind } from '../../src/domain/risk.js';
import type { Outcome } from './carrel.js';
import type { Desk } from './desk.js';
import { fingerprint } from './fingerprint.js';
import { findLeftovers } from './leftovers.js';
import { git } from './repository.js';
import { listFiles, observe } from './round-trip.js';

const FLAGS: readonly RemovalFlag[] = [
  '--discard-changes',
  '--discard-commits',
  '--stop-processes',
  '--break-lease',
];

export interface Protection {
  readonly kind: RiskKind;
  /** What the refusal has to name. */
  readonly names: readonly string[];
  /** The one flag that lets it go. */
  readonly flag: RemovalFlag;
  /** Paths that a snapshot leaves out, and so need not come back. */
  readonly left?: (path: string) => boolean;
}

/**
 * The promise as a whole: `down` refuses, names what is at stake and changes nothing; all flags but the right one
 * change nothing either; the right one alone lets it go, and `restore` brings it back to the byte.
 */
export function expectProtected(desk: Desk, { kind, names, flag, left }: Protection): RemovalResult {
  const [risk] = expectKept(desk);
  expect(risk).toMatchObject({ kind, flag });
  for (const name of names) expect(risk?.message).toContain(name);
  expectKept(
    desk,
    FLAGS.filter(other => other !== flag),
  );
  return expectComesBack(desk, [flag], left);
}

/** `down` with the flags refuses and leaves everything as it was. Gives the risks, of which there has to be one. */
export function expectKept(desk: Desk, flags: readonly string[] = []): readonly Risk[] {
  const { code, details } = expectRefused(desk, flags);
  expect(code).toBe('REMOVAL_REFUSED');
  const { risks } = details as { risks: readonly Risk[] };
  expect(risks).toHaveLength(1);
  return risks;
}

export interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  readonly details: unknown;
}

/** Whatever the reason: exit status 3, and nothing has changed. */
export function expectRefused(desk: Desk, flags: readonly string[] = []): Refusal {
  const before = lookAround(desk);
  const outcome = desk.run('down', 'a', ...flags, '--json');
  expect(outcome, outcome.stdout).toMatchObject({ status: 3 });
  expect(lookAround(desk)).toEqual(before);
  return JSON.parse(outcome.stdout).error;
}

/** `down` with the flags goes, leaves nothing behind, and `restore` brings the workspace back to the byte. */
export function expectComesBack(
  desk: Desk,
  flags: readonly string[] = [],
  left: (path: string) => boolean = () => true,
): RemovalResult {
  const before = describeWork(desk, left);
  const user = fingerprint(desk.repository);
  const result = expectGone(desk, flags);
  desk.ok('restore', 'a');
  expect(describeWork(desk, left)).toEqual(before);
  expect(fingerprint(desk.repository)).toEqual(user);
  expectTidy(desk);
  return result;
}

/** `down` with the flags goes and leaves nothing behind but a snapshot. */
export function expectGone(desk: Desk, flags: readonly string[] = []): RemovalResult {
  const user = fingerprint(desk.repository);
  const outcome = desk.run('down', 'a', ...flags, '--json');
  expect(outcome, outcome.stderr + outcome.stdout).toMatchObject({ status: 0 });
  expect(existsSync(desk.path)).toBe(false);
  expect(fingerprint(desk.repository)).toEqual(user);
  const result = JSON.parse(outcome.stdout) as RemovalResult;
  if (result.keptBranch === null) expectTidy(desk);
  return result;
}

/** A branch without a commit yet is worth a notice to git, and nothing more. */
function expectTidy(desk: Desk): void {
  expect(findLeftovers(desk).filter(line => !line.startsWith('fsck: notice'))).toEqual([]);
}

/** What a workspace is to its user and to git. */
export function describeWork(desk: Desk, left?: (path: string) => boolean) {
  return {
    ...observe(desk.path, left),
    head: readFileSync(join(adminDirOf(desk), 'HEAD'), 'utf8'),
    branchTip: git(desk.repository, 'for-each-ref', '--format=%(objectname)', `refs/heads/${desk.branch}`),
  };
}

/** Everything that a refusal has to leave alone: the place, the registration, all refs, and all that is the user's. */
function lookAround(desk: Desk) {
  const admin = adminDirOf(desk);
  return {
    place: describePlace(desk.path),
    registration: existsSync(admin) ? listFiles(admin) : null,
    worktrees: git(desk.repository, 'worktree', 'list', '--porcelain'),
    refs: git(desk.repository, 'for-each-ref'),
    user: fingerprint(desk.repository),
  };
}

function describePlace(path: string): unknown {
  const info = lstatSync(path, { throwIfNoEntry: false });
  if (!info) return 'nothing';
  if (info.isSymbolicLink()) return `-> ${readlinkSync(path)}`;
  return info.isDirectory()
    ? [listFiles(path), describePlace(join(path, '.git'))]
    : readFileSync(path, 'latin1');
}

/** A workspace that was restored has another id than the first one; its `.git` file tells. */
function adminDirOf({ path, repository, id }: Desk): string {
  const pointer = join(path, '.git');
  const isFile = existsSync(pointer) && lstatSync(pointer).isFile();
  const own = /^gitdir: (.*\/worktrees\/ws_\w+)$/m.exec(isFile ? readFileSync(pointer, 'utf8') : '')?.[1];
  return own ?? join(repository, '.git/worktrees', id);
}

/** What a person reads, with everything that changes from run to run named. */
export function normalize(desk: Pick<Desk, 'repository' | 'carrel'>, { stdout, stderr }: Outcome): string {
  return `${stdout}${stderr}`
    .replaceAll(desk.repository, '<repository>')
    .replaceAll(desk.carrel.cacheDir, '<cache>')
    .replaceAll(/\b(ws|snap)_[0-9a-z]{16}\b/g, '<$1>')
    .replaceAll(/\b[0-9a-f]{40}\b/g, '<commit>')
    .replaceAll(/\b[0-9a-f]{10}\b/g, '<short>')
    .trimEnd();
}
