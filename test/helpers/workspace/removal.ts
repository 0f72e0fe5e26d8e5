import { existsSync, lstatSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { RemovalResult } from '../../../src/domain/report/result.js';
import type { RemovalFlag, Risk, RiskKind } from '../../../src/domain/workspace/risk.js';
import type { Outcome } from '../carrel.js';
import { fingerprint } from '../fingerprint.js';
import { listFiles, observe } from '../git/round-trip.js';
import { findLeftovers } from '../leftovers.js';
import { git } from '../repository.js';
import type { Fixture } from './test-workspace.js';

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
export function expectProtected(fixture: Fixture, { kind, names, flag, left }: Protection): RemovalResult {
  const [risk] = expectKept(fixture);
  expect(risk).toMatchObject({ kind, flag });
  for (const name of names) expect(risk?.message).toContain(name);
  expectKept(
    fixture,
    FLAGS.filter(other => other !== flag),
  );
  return expectComesBack(fixture, [flag], left);
}

/** `down` with the flags refuses and leaves everything as it was. Gives the risks, of which there has to be one. */
export function expectKept(fixture: Fixture, flags: readonly string[] = []): readonly Risk[] {
  const { code, details } = expectRefused(fixture, flags);
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
export function expectRefused(fixture: Fixture, flags: readonly string[] = []): Refusal {
  const before = lookAround(fixture);
  const outcome = fixture.run('down', 'a', ...flags, '--json');
  expect(outcome, outcome.stdout).toMatchObject({ status: 3 });
  expect(lookAround(fixture)).toEqual(before);
  return JSON.parse(outcome.stdout).error;
}

/** `down` with the flags goes, leaves nothing behind, and `restore` brings the workspace back to the byte. */
export function expectComesBack(
  fixture: Fixture,
  flags: readonly string[] = [],
  left: (path: string) => boolean = () => true,
): RemovalResult {
  const before = describeWork(fixture, left);
  const user = fingerprint(fixture.repository);
  const result = expectGone(fixture, flags);
  fixture.ok('restore', 'a');
  expect(describeWork(fixture, left)).toEqual(before);
  expect(fingerprint(fixture.repository)).toEqual(user);
  expectTidy(fixture);
  return result;
}

/** `down` with the flags goes and leaves nothing behind but a snapshot. */
export function expectGone(fixture: Fixture, flags: readonly string[] = []): RemovalResult {
  const user = fingerprint(fixture.repository);
  const outcome = fixture.run('down', 'a', ...flags, '--json');
  expect(outcome, outcome.stderr + outcome.stdout).toMatchObject({ status: 0 });
  expect(existsSync(fixture.path)).toBe(false);
  expect(fingerprint(fixture.repository)).toEqual(user);
  const result = JSON.parse(outcome.stdout) as RemovalResult;
  if (result.keptBranch === null) expectTidy(fixture);
  return result;
}

/** A branch without a commit yet is worth a notice to git, and nothing more. */
function expectTidy(fixture: Fixture): void {
  expect(findLeftovers(fixture).filter(line => !line.startsWith('fsck: notice'))).toEqual([]);
}

/** What a workspace is to its user and to git. */
export function describeWork(fixture: Fixture, left?: (path: string) => boolean) {
  return {
    ...observe(fixture.path, left),
    head: readFileSync(join(adminDirOf(fixture), 'HEAD'), 'utf8'),
    branchTip: git(
      fixture.repository,
      'for-each-ref',
      '--format=%(objectname)',
      `refs/heads/${fixture.branch}`,
    ),
  };
}

/** Everything that a refusal has to leave alone: the place, the registration, all refs, and all that is the user's. */
function lookAround(fixture: Fixture) {
  const admin = adminDirOf(fixture);
  return {
    place: describePlace(fixture.path),
    registration: existsSync(admin) ? listFiles(admin) : null,
    worktrees: git(fixture.repository, 'worktree', 'list', '--porcelain'),
    refs: git(fixture.repository, 'for-each-ref'),
    user: fingerprint(fixture.repository),
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

/** A workspace that was restored has another id than the first one; its `.git` file shows it. */
function adminDirOf({ path, repository, id }: Fixture): string {
  const pointer = join(path, '.git');
  const isFile = existsSync(pointer) && lstatSync(pointer).isFile();
  const own = /^gitdir: (.*\/worktrees\/ws_\w+)$/m.exec(isFile ? readFileSync(pointer, 'utf8') : '')?.[1];
  return own ?? join(repository, '.git/worktrees', id);
}

/** What a person reads, with everything that changes from run to run named. */
export function normalize(
  fixture: Pick<Fixture, 'repository' | 'carrel'>,
  { stdout, stderr }: Outcome,
): string {
  return `${stdout}${stderr}`
    .replaceAll(fixture.repository, '<repository>')
    .replaceAll(fixture.carrel.cacheDir, '<cache>')
    .replaceAll(/\b(ws|snap)_[0-9a-z]{16}\b/g, '<$1>')
    .replaceAll(/\b[0-9a-f]{40}\b/g, '<commit>')
    .replaceAll(/\b[0-9a-f]{10}\b/g, '<short>')
    .trimEnd();
}
