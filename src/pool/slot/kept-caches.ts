import { createHash } from 'node:crypto';
import type { BytePath } from '../../git/byte-path.js';

/** What is tracked at a path: the id of its content; undefined when nothing is. */
export type FindId = (path: BytePath) => string | undefined;

const LOCK_FILES = [
  'package-lock.json',
  'npm-shrinkwrap.json',
  'pnpm-lock.yaml',
  'yarn.lock',
  'bun.lock',
  'bun.lockb',
  'deno.lock',
  'Cargo.lock',
  'poetry.lock',
  'uv.lock',
  'pdm.lock',
  'Pipfile.lock',
  'requirements.txt',
  'go.sum',
  'Gemfile.lock',
  'composer.lock',
  'gradle.lockfile',
  'mix.lock',
];

/**
 * Stands for everything tracked that a cache depends on: the lock files in the nearest directory above it that has any,
 * and the ignore rules above it, without which it would turn up as untracked.
 */
export function digestFor(cache: BytePath, findId: FindId): string {
  const hash = createHash('sha256');
  for (const path of relevantPaths(cache, findId)) hash.update(`${path}\0${findId(path)}\0`);
  return hash.digest('hex');
}

/** Paths that may matter for a cache, tracked or not. */
export function candidatePaths(cache: BytePath): BytePath[] {
  return directoriesAbove(cache).flatMap(directory =>
    [...LOCK_FILES, '.gitignore'].map(name => `${directory}${name}`),
  );
}

function relevantPaths(cache: BytePath, findId: FindId): BytePath[] {
  const isTracked = (path: BytePath) => findId(path) !== undefined;
  const directories = directoriesAbove(cache);
  const lockFiles = directories.map(directory =>
    LOCK_FILES.map(name => `${directory}${name}`).filter(isTracked),
  );
  const nearest = lockFiles.find(found => found.length > 0) ?? [];
  return [...nearest, ...directories.map(directory => `${directory}.gitignore`).filter(isTracked)];
}

/** `a/b/cache` gives `a/b/`, `a/` and ''. */
function directoriesAbove(path: BytePath): BytePath[] {
  const parts = path.split('/').slice(0, -1);
  return [...parts.keys()].map(count => `${parts.slice(0, parts.length - count).join('/')}/`).concat('');
}
