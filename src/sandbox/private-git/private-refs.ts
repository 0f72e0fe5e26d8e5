import type { Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isRefName } from '../../git/refs/ref-name.js';
import { MOST_PACKED, readHeadFile, readPackedRefs, readPrivateRef } from './private-head.js';

export interface PrivateRefs {
  /** The commit of each; empty for one that can't be parsed: it exists, but its value is unknown. */
  readonly refs: ReadonlyMap<string, string>;
  /** What was not read, as text: there may be more than `refs` has. */
  readonly unread: readonly string[];
}

/** More than are made by hand, so that a sandbox can't keep us busy for long. Packed ones are limited by bytes. */
const MOST = 10_000;

/**
 * The refs of a private git directory, read from its files, with every detached HEAD; no git runs there. `refs/remotes` was
 * copied from the repository, and `refs/jj` has jj's whole history; relevant commits there have separate refs (see follow-jj.ts).
 */
export async function listPrivateRefs(gitDir: string, most = MOST): Promise<PrivateRefs> {
  if (!(await isDirectory(gitDir))) return { refs: new Map(), unread: [] };
  const packed = [...(await readPackedRefs(gitDir))].filter(([ref]) => !isPassedOver(ref));
  const refs = new Map(packed);
  const budget = { left: most };
  for (const place of ['', ...(await listWorktrees(gitDir))]) {
    const head = await readHeadFile(join(gitDir, `${place}HEAD`));
    if (!head.startsWith('ref: ') && budget.left-- > 0) refs.set(`${place}HEAD`, plainId(head));
    for await (const ref of walkRefs(join(gitDir, place), 'refs', budget))
      refs.set(`${place}${ref}`, (await readPrivateRef(join(gitDir, place), ref)).commit ?? '');
  }
  const beyond = budget.left < 0 ? [`refs beyond the first ${most}`] : [];
  return { refs, unread: [...beyond, ...(await listUnread(gitDir))] };
}

/** Those that were made inside. */
async function listWorktrees(gitDir: string): Promise<string[]> {
  const entries = await listEntries(join(gitDir, 'worktrees'));
  return entries.filter(entry => entry.isDirectory()).map(({ name }) => `worktrees/${name}/`);
}

const isPassedOver = (path: string): boolean => /^refs\/(remotes|jj)(\/|$)/.test(path);

const plainId = (text: string): string => (/^[0-9a-f]{40,64}$/.test(text) ? text : '');

/** Links are not followed: they lead out of what is private. */
async function* walkRefs(
  gitDir: string,
  directory: string,
  budget: { left: number },
): AsyncGenerator<string> {
  for (const entry of await listEntries(join(gitDir, directory))) {
    const path = `${directory}/${entry.name}`;
    if (isPassedOver(path)) continue;
    if (budget.left-- <= 0) return;
    if (entry.isDirectory()) yield* walkRefs(gitDir, path, budget);
    else if (isRefName(path)) yield path;
  }
}

async function listEntries(directory: string): Promise<Dirent[]> {
  if (!(await isDirectory(directory))) return [];
  return readdir(directory, { withFileTypes: true }).catch(() => []);
}

const isDirectory = (path: string): Promise<boolean> =>
  lstat(path).then(
    info => info.isDirectory(),
    () => false,
  );

async function listUnread(gitDir: string): Promise<string[]> {
  const packed = await lstat(join(gitDir, 'packed-refs')).catch(() => undefined);
  const isUnread = packed !== undefined && (!packed.isFile() || packed.size > MOST_PACKED);
  const hasTables = (await lstat(join(gitDir, 'reftable')).catch(() => undefined)) !== undefined;
  return [...(isUnread ? ['packed-refs'] : []), ...(hasTables ? ['reftable'] : [])];
}
