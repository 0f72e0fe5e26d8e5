import { lstatSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readSmallFile } from '../files/small-file.js';
import { isRefName } from './ref-name.js';

/**
 * Refs read from their files (gitrepository-layout(5), the `files` format), for queries not worth a process. Undefined when
 * the files are not conclusive, as for symbolic refs, damaged ones, long lists and the `reftable` format; then git has to be
 * asked.
 */
export interface PlainRef {
  readonly ref: string;
  readonly id: string;
}

/** What HEAD of a git directory is: on a branch, which need not exist yet, or detached. */
export type PlainHead =
  | { readonly ref: string; readonly id?: never }
  | { readonly id: string; readonly ref?: never };

export function readPlainHead(gitDir: string): PlainHead | undefined {
  const text = readSmallFile(join(gitDir, 'HEAD'), 4096)?.toString('utf8');
  if (text === undefined) return undefined;
  if (ID_LINE.test(text)) return { id: text.trimEnd() };
  const ref = /^ref: (refs\/heads\/[!-~]+)\n$/.exec(text)?.[1];
  return ref !== undefined && isRefName(ref) ? { ref } : undefined;
}

/** What the ref holds; null when there is none. */
export function readPlainRef(gitDir: string, ref: string): string | null | undefined {
  const found = listPlainRefs(gitDir, [ref]);
  return found && (found.find(row => row.ref === ref)?.id ?? null);
}

/** True when the name is not taken and does not conflict with another as file versus folder. */
export function isPlainlyFree(gitDir: string, ref: string): true | undefined {
  const commonDir = findCommonDir(gitDir);
  if (!isReadable(ref) || commonDir === undefined || !hasFiles(commonDir)) return undefined;
  if (!isUntaken(commonDir, ref)) return undefined;
  const packed = readPacked(commonDir);
  if (!packed || foldersOf(ref).some(folder => packed.has(folder))) return undefined;
  return [...packed.keys()].some(name => name === ref || name.startsWith(`${ref}/`)) ? undefined : true;
}

/** Every parent is a folder or missing; if the name itself exists, git has to decide. */
function isUntaken(commonDir: string, ref: string): boolean {
  for (const folder of foldersOf(ref)) {
    const info = lstatQuietly(join(commonDir, folder));
    if (info === null) return true;
    if (!info?.isDirectory()) return false;
  }
  return lstatQuietly(join(commonDir, ref)) === null;
}

/** The refs with one of these names, and those below one, sorted by name. */
export function listPlainRefs(gitDir: string, names: readonly string[]): PlainRef[] | undefined {
  if (!names.every(isReadable)) return undefined;
  const commonDir = findCommonDir(gitDir);
  if (commonDir === undefined || !hasFiles(commonDir)) return undefined;
  // In this order: git packs a ref before it deletes the file.
  const loose = names.flatMap(name => readLoose(commonDir, name) ?? UNCLEAR);
  const packed = readPacked(commonDir);
  if (!packed || loose.includes(undefined)) return undefined;
  const isWanted = (ref: string) => names.some(name => ref === name || ref.startsWith(`${name}/`));
  const found = new Map([...packed].filter(([ref]) => isWanted(ref)));
  for (const row of loose) if (row) found.set(row.ref, row.id);
  if ([...found.keys()].some(mayNeedPeeling)) return undefined;
  return [...found].map(([ref, id]) => ({ ref, id })).sort((a, b) => (a.ref < b.ref ? -1 : 1));
}

const UNCLEAR = [undefined];

/** Some refs, such as those of a bisection, are in each worktree. Those of remotes count only when there are none. */
const isReadable = (name: string): boolean =>
  isRefName(name) && /^refs\/(heads|remotes|carrel)(\/[!-~]+)?$/.test(name);

/** Branches are commits, as are Carrel's own refs. A remote may have a tag where a branch is expected. */
const mayNeedPeeling = (ref: string): boolean => ref.startsWith('refs/remotes/');

/** True when a branch other than `own` is at the commit; undefined when git has to be asked. */
export function isPlainTip(gitDir: string, commit: string, own: readonly string[]): true | undefined {
  const branches = listPlainRefs(gitDir, ['refs/heads']);
  return branches?.some(({ ref, id }) => id === commit && !own.includes(ref)) || undefined;
}

/** A linked worktree names it in a file. */
export function findCommonDir(gitDir: string): string | undefined {
  const text = readSmallFile(join(gitDir, 'commondir'), 4096);
  return text === null ? gitDir : text && resolve(gitDir, text.toString('utf8').replace(/\n$/, ''));
}

/** Where refs are in tables, `refs/heads` is a file with a sentence for programs like this one. */
function hasFiles(commonDir: string): boolean {
  return lstatSync(join(commonDir, 'refs/heads'), { throwIfNoEntry: false })?.isDirectory() === true;
}

/** More than this is quicker asked of git. */
const MOST_LOOSE = 200;
const MOST_BYTES = 256 * 1024;

function readLoose(commonDir: string, ref: string): PlainRef[] | undefined {
  const info = lstatQuietly(join(commonDir, ref));
  if (info === null) return [];
  if (!info?.isDirectory()) return readLooseRef(commonDir, ref);
  const names = readdirQuietly(join(commonDir, ref));
  if (!names || names.length > MOST_LOOSE) return undefined;
  const found: PlainRef[] = [];
  for (const name of names.filter(candidate => !candidate.endsWith('.lock'))) {
    const rows = isReadable(`${ref}/${name}`) ? readLoose(commonDir, `${ref}/${name}`) : undefined;
    if (!rows || found.length > MOST_LOOSE) return undefined;
    found.push(...rows);
  }
  return found;
}

/** One that was packed since is in the list of packed refs, which is read later. */
function readLooseRef(commonDir: string, ref: string): PlainRef[] | undefined {
  const text = readSmallFile(join(commonDir, ref), 4096)?.toString('latin1');
  if (text === undefined) return lstatQuietly(join(commonDir, ref)) === null ? [] : undefined;
  return ID_LINE.test(text) && !ZEROS.test(text) ? [{ ref, id: text.trimEnd() }] : undefined;
}

function lstatQuietly(path: string) {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    return undefined;
  }
}

function readdirQuietly(path: string): string[] | undefined {
  try {
    return readdirSync(path);
  } catch {
    return undefined;
  }
}

function readPacked(commonDir: string): Map<string, string> | undefined {
  const text = readSmallFile(join(commonDir, 'packed-refs'), MOST_BYTES);
  if (text === undefined) return undefined;
  const lines = text?.toString('utf8').split('\n') ?? [];
  // Lines that begin with # and ^ are about the file and about tags.
  const rows = lines.flatMap(line => {
    const [, id, ref] = PACKED_LINE.exec(line) ?? [];
    return id && ref ? [[ref, id] as const] : [];
  });
  return new Map(rows);
}

const ID_LINE = /^(?:[0-9a-f]{40}|[0-9a-f]{64})\n$/;
const PACKED_LINE = /^([0-9a-f]{40}|[0-9a-f]{64}) (.+)$/;
const ZEROS = /^0+\n$/;

function foldersOf(ref: string): string[] {
  const parts = ref.split('/');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
}
