import { createHash } from 'node:crypto';
import { chmodSync, closeSync, lstatSync, openSync, readdirSync, readlinkSync, readSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { type BytePath, displayPath, toFsPath } from '../../byte-path.js';
import type { ModeKind } from '../file-modes.js';
import type { ExpectedFiles } from './expected-files.js';

export interface Expectation {
  /** Where the files were restored to; our own directory, in which permissions may be changed. */
  readonly root: string;
  readonly files: ExpectedFiles;
  /** Directories that must exist, even when empty. */
  readonly directories?: readonly BytePath[] | undefined;
  /** Permission bits; without it they are not checked. */
  readonly modeOf?: ((path: BytePath, kind: ModeKind) => number) | undefined;
  /** SHA-256 of content that is elsewhere, for files of which git has a pointer. */
  readonly largeFiles?: ReadonlyMap<BytePath, string> | undefined;
  /** Files that a restore may rewrite: only their presence counts. */
  readonly rewritten?: ((path: BytePath) => boolean) | undefined;
  /** Whether there may be more than was expected. */
  readonly mayHaveMore?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Walks restored files independently of the restore code and returns every difference as text. */
export async function compareFiles(expectation: Expectation): Promise<string[]> {
  const { root, files, directories = [], signal } = expectation;
  const problems: string[] = [];
  const found = new Set<BytePath>();
  const pending: BytePath[] = [''];
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    signal?.throwIfAborted();
    const stats = lstatSync(path === '' ? root : toFsPath(root, path));
    found.add(path);
    if (stats.isDirectory()) {
      problems.push(...compareMode(expectation, path, 'directory', stats.mode));
      chmodSync(path === '' ? root : toFsPath(root, path), 0o700);
      for (const name of readdirSync(toFsPath(root, path), { encoding: 'latin1' }))
        pending.push(path === '' ? name : `${path}/${name}`);
    } else problems.push(...compareFile(expectation, path, stats));
    await setImmediate();
  }
  const missing = [...files.keys(), ...directories].filter(path => !found.has(path));
  return [...problems, ...missing.map(path => `${displayPath(path)} is missing`)];
}

function compareFile(
  expectation: Expectation,
  path: BytePath,
  stats: { readonly mode: number; isSymbolicLink(): boolean; isFile(): boolean },
): string[] {
  const { root, files, largeFiles, rewritten, mayHaveMore } = expectation;
  const expected = files.get(path);
  const name = displayPath(path);
  if (!expected) return mayHaveMore ? [] : [`${name} is not in the snapshot`];
  if (rewritten?.(path)) return [];
  if (expected.mode === '120000' || stats.isSymbolicLink()) {
    const isLink = expected.mode === '120000' && stats.isSymbolicLink();
    return isLink && hashLink(root, path, expected.id) === expected.id ? [] : [`${name} is a different link`];
  }
  if (!stats.isFile()) return [`${name} is not a file`];
  const kind = expected.mode === '100755' ? 'executable' : 'file';
  const modes = compareMode(expectation, path, kind, stats.mode);
  const oid = largeFiles?.get(path);
  const wanted = oid ?? expected.id;
  const hash = hashFile(root, path, oid === undefined ? expected.id : null);
  return hash === wanted ? modes : [...modes, `${name} has different content`];
}

function compareMode({ modeOf }: Expectation, path: BytePath, kind: ModeKind, mode: number): string[] {
  const wanted = modeOf?.(path, kind);
  const found = mode & 0o7777;
  if (wanted === undefined || wanted === found) return [];
  return [
    `${displayPath(path) || '.'} has the permissions ${found.toString(8)}, expected ${wanted.toString(8)}`,
  ];
}

function hashLink(root: string, path: BytePath, id: string): string {
  const target = readlinkSync(toFsPath(root, path), { encoding: 'buffer' });
  return createHash(algorithmOf(id)).update(`blob ${target.length}\0`).update(target).digest('hex');
}

const CHUNK_BYTES = 1024 ** 2;

/** As git hashes a blob, with ids like this one; without one the SHA-256 of the content. */
function hashFile(root: string, path: BytePath, id: string | null): string {
  const place = toFsPath(root, path);
  chmodSync(place, 0o600);
  const file = openSync(place, 'r');
  try {
    const hash = createHash(id === null ? 'sha256' : algorithmOf(id));
    if (id !== null) hash.update(`blob ${lstatSync(place).size}\0`);
    const chunk = Buffer.alloc(CHUNK_BYTES);
    for (let length = readSync(file, chunk); length > 0; length = readSync(file, chunk))
      hash.update(chunk.subarray(0, length));
    return hash.digest('hex');
  } finally {
    closeSync(file);
  }
}

const algorithmOf = (id: string): string => (id.length === 64 ? 'sha256' : 'sha1');
