import { setTimeout as delay } from 'node:timers/promises';
import { carrelError, isCarrelError } from '../../domain/error/error.js';
import type { Git, GitPlace } from '../git.js';
import { isObjectId, readLooseCommit } from '../objects/loose-objects.js';
import { findCommonDir, listPlainRefs, readPlainHead, readPlainRef } from './plain-refs.js';

/** The commit that a name resolves to; undefined when there is none. Never reads a name as a flag. */
export async function resolveCommit(git: Git, place: GitPlace, name: string): Promise<string | undefined> {
  const plain = place.gitDir === undefined ? undefined : resolvePlainly(place.gitDir, name);
  if (plain !== undefined) return plain;
  const query = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`];
  // 128 is the answer for a reflog entry beyond the log's end, such as `main@{99}`; all else that is missing gives 1.
  const result = await git.run(query, { ...place, answers: [0, 1, 128] });
  const id = result.stdout.toString('latin1').trim();
  // `^main` is accepted too and comes back as `^<id>`: a set of commits, not a commit.
  return result.exitCode === 0 && /^[0-9a-f]+$/.test(id) ? id : undefined;
}

/** A commit that is in its own file, as new ones are. */
function resolvePlainly(gitDir: string, name: string): string | undefined {
  const head = name === 'HEAD' ? readPlainHead(gitDir) : undefined;
  const ref = head?.ref ?? name;
  const id = head?.id ?? (isObjectId(name) ? name : readPlainRef(gitDir, ref));
  const store = id ? findCommonDir(gitDir) : undefined;
  return id && store !== undefined && readLooseCommit(store, id) ? id : undefined;
}

export interface Ref {
  /** Full name, such as `refs/heads/main`. */
  readonly ref: string;
  /** What it points at; for an annotated tag its commit. */
  readonly commit: string;
}

/** Refs whose names are one of `patterns`, lie below one, or match it as a glob; all refs without patterns. */
export async function listRefs(git: Git, place: GitPlace, patterns: readonly string[]): Promise<Ref[]> {
  const rows = await readRefs(git, place, patterns);
  return rows.map(({ ref, id, peeled }) => ({ ref, commit: peeled || id }));
}

/** The object that exactly this ref holds, as compare-and-swap wants it; undefined when there is no such ref. */
export async function readRef(git: Git, place: GitPlace, ref: string): Promise<string | undefined> {
  return (await readRefs(git, place, [ref])).find(row => row.ref === ref)?.id;
}

/** The ref that is written when `ref` is: itself, or the target of a symbolic ref. */
export async function resolveSymbolicRef(
  git: Git,
  place: GitPlace,
  ref: string,
): Promise<string | undefined> {
  const row = (await readRefs(git, place, [ref])).find(candidate => candidate.ref === ref);
  return row && (row.symbolic || row.ref);
}

async function readRefs(git: Git, place: GitPlace, patterns: readonly string[]) {
  const plain =
    place.gitDir === undefined || patterns.length === 0 ? undefined : listPlainRefs(place.gitDir, patterns);
  if (plain) return plain.map(row => ({ ...row, peeled: '', symbolic: '' }));
  const fields = '%(refname)%00%(objectname)%00%(*objectname)%00%(symref)';
  const text = await git.text(['for-each-ref', `--format=${fields}`, '--end-of-options', ...patterns], place);
  return text
    .split('\n')
    .filter(Boolean)
    .map(line => {
      const [ref = '', id = '', peeled = '', symbolic = ''] = line.split('\0');
      return { ref, id, peeled, symbolic };
    });
}

/** Short name of the branch that is checked out; undefined when HEAD is detached. */
export async function symbolicHead(git: Git, place: GitPlace): Promise<string | undefined> {
  const ref = await readHeadRef(git, place);
  return ref?.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : undefined;
}

/** Full name of the ref that HEAD points to; undefined when it is detached. */
export async function readHeadRef(git: Git, place: GitPlace): Promise<string | undefined> {
  const plain = place.gitDir === undefined ? undefined : readPlainHead(place.gitDir);
  if (plain) return plain.ref;
  const result = await git.run(['symbolic-ref', '--quiet', 'HEAD'], { ...place, answers: [0, 1] });
  return result.exitCode === 0 ? result.stdout.toString('utf8').trimEnd() : undefined;
}

export interface RefChange {
  readonly ref: string;
  /** What it must hold now; null: it must not exist. */
  readonly from: string | null;
  /** What it holds afterwards; null: it is deleted. */
  readonly to: string | null;
}

/** How long git waits for another process's lock on a ref; its default of 100 ms is short for a busy machine. */
const LOCK_WAIT_MS = 1000;
const ATTEMPTS = 3;

/** All changes or none, each only when its ref holds `from`; REF_MOVED otherwise. The message goes to the reflogs. */
export async function updateRefs(
  git: Git,
  place: GitPlace,
  changes: readonly RefChange[],
  message?: string,
): Promise<void> {
  const note = message === undefined ? [] : ['-m', message];
  // By default git flushes objects but not refs; after a power cut a snapshot would exist without its ref.
  const config = [
    'core.fsync=reference',
    `core.filesRefLockTimeout=${LOCK_WAIT_MS}`,
    `core.packedRefsTimeout=${LOCK_WAIT_MS}`,
  ];
  const stdin = Buffer.from(changes.map(formatChange).join(''), 'utf8');
  for (let attempt = 1; ; attempt++) {
    try {
      await git.run(['update-ref', ...note, '--stdin', '-z'], { ...place, config, stdin });
      return;
    } catch (error) {
      if (!isCarrelError(error, 'GIT_FAILED')) throw error;
      // git has one exit status for a moved ref, a held lock and a full disk; the refs' current values distinguish them.
      await requireUnmoved(git, place, changes, error);
      if (attempt === ATTEMPTS) throw error;
      await delay(50 * attempt);
    }
  }
}

function formatChange({ ref, from, to }: RefChange): string {
  if (to === null) return from === null ? `verify ${ref}\0\0` : `delete ${ref}\0${from}\0`;
  if (from === to) return `verify ${ref}\0${to}\0`;
  return from === null ? `create ${ref}\0${to}\0` : `update ${ref}\0${to}\0${from}\0`;
}

async function requireUnmoved(
  git: Git,
  place: GitPlace,
  changes: readonly RefChange[],
  cause: unknown,
): Promise<void> {
  for (const { ref, from } of changes) {
    const found = (await readRef(git, place, ref)) ?? null;
    if (found === from) continue;
    throw carrelError('REF_MOVED', { ref, expected: from ?? 'nothing', found: found ?? 'nothing' }, cause);
  }
}
