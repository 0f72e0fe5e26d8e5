import { readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isMissing } from '../../domain/error/error.js';
import { readSmallFile } from '../files/small-file.js';
import { readPlainHead } from '../refs/plain-refs.js';
import { isUsualRepository } from './plain-repository.js';

/** A work tree as its files describe it. */
export interface PlainWorktree {
  readonly path: string;
  /** Its own git directory. */
  readonly gitDir: string;
  /** Full name of the branch; null when detached. */
  readonly branch: string | null;
}

/**
 * All work trees of a repository, the main one first, read from their files. Undefined when one of them is not conclusive, or
 * the repository is not of the usual form; then git has to be asked.
 */
export function listPlainWorktrees(commonDir: string): PlainWorktree[] | undefined {
  const names = readNames(join(commonDir, 'worktrees'));
  if (!names || names.length > MOST_WORKTREES || basename(commonDir) !== '.git') return undefined;
  if (!isUsualRepository(commonDir)) return undefined;
  const main = describe(commonDir, dirname(commonDir));
  const linked = names.map(name => describeLinked(join(commonDir, 'worktrees', name)));
  const all = [main, ...linked];
  return all.every(worktree => worktree !== undefined) ? all : undefined;
}

/** More than this is quicker asked of git. */
const MOST_WORKTREES = 1000;

function readNames(directory: string): string[] | undefined {
  try {
    return readdirSync(directory);
  } catch (error) {
    return isMissing(error) ? [] : undefined;
  }
}

/** `gitdir` holds the path of the work tree's `.git` file. */
function describeLinked(gitDir: string): PlainWorktree | undefined {
  const pointer = readSmallFile(join(gitDir, 'gitdir'), 8192)?.toString('utf8').replace(/\n$/, '');
  if (!pointer || /[\n\r\ufffd]/.test(pointer) || basename(pointer) !== '.git') return undefined;
  return describe(gitDir, dirname(resolve(gitDir, pointer)));
}

function describe(gitDir: string, path: string): PlainWorktree | undefined {
  const head = readPlainHead(gitDir);
  return head && { path, gitDir, branch: head.ref ?? null };
}
