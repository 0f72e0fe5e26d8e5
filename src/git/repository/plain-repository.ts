import { lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { readSmallFile } from '../files/small-file.js';

/** The repository at or above a directory, as git finds it (gitrepository-layout(5)). Paths are real. */
export interface PlainRepository {
  readonly gitDir: string;
  readonly commonDir: string;
  /** The work tree that contains the directory. */
  readonly topLevel: string;
  /** The main work tree. */
  readonly root: string;
}

/**
 * Finds a repository of the usual form without a process. Undefined for every other: another owner, where git decides by
 * `safe.directory`, another file system in between, a bare or damaged one, one whose configuration moves the work tree,
 * and where there is none. Then git has to be asked.
 */
export function findPlainRepository(directory: string): PlainRepository | undefined {
  // Git itself has bugs with such paths, and a clear error waits.
  if (directory.includes('\n')) return undefined;
  try {
    return climb(directory, lstatSync(directory).dev);
  } catch {
    return undefined;
  }
}

function climb(directory: string, device: number): PlainRepository | undefined {
  for (let place = directory; ; place = dirname(place)) {
    if (lstatSync(place).dev !== device || isGitDirectory(place)) return undefined;
    const entry = lstatSync(join(place, '.git'), { throwIfNoEntry: false });
    if (entry) return describe(place, entry.isDirectory());
    if (dirname(place) === place) return undefined;
  }
}

function describe(topLevel: string, isMain: boolean): PlainRepository | undefined {
  const gitDir = isMain ? join(topLevel, '.git') : readLine(join(topLevel, '.git'), 'gitdir: ', topLevel);
  if (gitDir === undefined || ![topLevel, join(topLevel, '.git'), gitDir].every(isOwn)) return undefined;
  const commonDir = isMain ? gitDir : readLine(join(gitDir, 'commondir'), '', gitDir);
  if (commonDir === undefined || basename(commonDir) !== '.git') return undefined;
  if (isMain && lstatSync(join(gitDir, 'commondir'), { throwIfNoEntry: false })) return undefined;
  if (!isGitDirectory(commonDir) || !isUsualRepository(commonDir)) return undefined;
  const real = { gitDir: realpathSync.native(gitDir), commonDir: realpathSync.native(commonDir) };
  return { ...real, topLevel, root: dirname(real.commonDir) };
}

function readLine(file: string, prefix: string, from: string): string | undefined {
  const text = readSmallFile(file, 4096)?.toString('utf8');
  const line = text?.endsWith('\n') ? text.slice(0, -1) : undefined;
  if (!line?.startsWith(prefix) || line.length === prefix.length || /[\n\r\ufffd]/.test(line))
    return undefined;
  return resolve(from, line.slice(prefix.length));
}

/** Git checks the owner of the work tree, of its `.git` and of the git directory. */
const isOwn = (path: string): boolean => lstatSync(path).uid === process.geteuid?.();

function isGitDirectory(path: string): boolean {
  return ['HEAD', 'objects', 'refs'].every(name => lstatSync(join(path, name), { throwIfNoEntry: false }));
}

/** Git takes the form of a repository from its own file alone, without includes. */
export function isUsualRepository(commonDir: string): boolean {
  const text = readSmallFile(join(commonDir, 'config'), 256 * 1024)?.toString('utf8');
  if (text === undefined || /\\\n/.test(text)) return false;
  return (
    !/^\s*(\[[^\]]*\]\s*)?(worktree\b|worktreeconfig\b|bare\s*($|=(?!\s*false\s*$)))/im.test(text) &&
    hasKnownForm(text)
  );
}

/** Git refuses what it does not know from version 1 on. */
function hasKnownForm(config: string): boolean {
  return /^\s*repositoryformatversion\s*=\s*0\s*$/im.test(config);
}
