import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { tempDir } from './temp.js';

/** Plain git for tests, with no configuration of the machine's and a fixed identity. */
export function git(cwd: string, ...args: string[]): string {
  return execFileSync('git', args, {
    cwd,
    env: gitEnv(),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trimEnd();
}

export function gitEnv(): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    HOME: '/nonexistent',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_AUTHOR_NAME: 'Test',
    GIT_AUTHOR_EMAIL: 'test@example.com',
    GIT_COMMITTER_NAME: 'Test',
    GIT_COMMITTER_EMAIL: 'test@example.com',
  };
}

/** A repository with one commit on `main` that holds `files`. */
export function makeRepository(
  files: Record<string, string> = { 'README.md': 'hello\n' },
  path = join(tempDir(), 'repo'),
): string {
  mkdirSync(path, { recursive: true });
  git(path, 'init', '--quiet', '--initial-branch=main');
  addCommit(path, files, 'first');
  return path;
}

/** Writes files, stages all and commits; gives the commit id. */
export function commitFiles(
  path: string,
  files: Record<string, string | Buffer>,
  message = 'change',
): string {
  addCommit(path, files, message);
  return git(path, 'rev-parse', 'HEAD');
}

/** Without the look for garbage that git has after each commit, which would be a third of the time. */
function addCommit(path: string, files: Record<string, string | Buffer>, message: string): void {
  writeFiles(path, files);
  git(path, 'add', '--all');
  git(path, '-c', 'maintenance.auto=false', 'commit', '--quiet', '--allow-empty', '-m', message);
}

export function writeFiles(root: string, files: Record<string, string | Buffer>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), content);
  }
}
