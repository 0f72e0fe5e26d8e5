import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inject } from 'vitest';
import { needProgram } from '../parts/required-part.js';
import { runInShell, type ShellOutcome } from '../warm/shell.js';
import { tempDir } from './temp.js';

/** Plain git for tests, with no configuration of the machine's and a fixed identity. */
export function git(cwd: string, ...args: string[]): string {
  // A part of git that is a script.
  if (args.includes('submodule')) needProgram('sed');
  const { status, stdout, stderr } = tryGit(cwd, ...args);
  if (status === 0) return stdout.trimEnd();
  const error = new Error(`Command failed: git ${args.join(' ')}\n${stderr}`);
  throw Object.assign(error, { status, stdout, stderr });
}

/** The same, for a call that may fail. */
export function tryGit(cwd: string, ...args: string[]): ShellOutcome {
  const env = gitEnv();
  return runInShell({ cwd, path: env.PATH ?? '', program: 'git', args }, env);
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
    // Tests that count snapshots or processes would find more of them; the tests about them turn them on.
    CARREL_CHECKPOINTS: 'off',
  };
}

/** A repository with one commit on `main` that holds `files`. */
export function makeRepository(
  files: Record<string, string> = { 'README.md': 'hello\n' },
  path = join(tempDir(), 'repo'),
): string {
  const model = prepareModel(files);
  cpSync(model, path, { recursive: true, preserveTimestamps: true });
  // Git compares more than times with its index: as after any copy, the files have other inodes.
  git(path, 'update-index', '-q', '--refresh');
  return path;
}

/** Making a repository takes git five processes, copying one takes it one. All tests of a run share the models. */
function prepareModel(files: Record<string, string>): string {
  const text = JSON.stringify(files);
  const model = join(inject('caches'), 'repositories', createHash('sha256').update(text).digest('hex'));
  if (existsSync(model)) return model;
  const draft = `${model}.${process.pid}`;
  mkdirSync(draft, { recursive: true });
  git(draft, 'init', '--quiet', '--initial-branch=main');
  removeSampleHooks(join(draft, '.git/hooks'));
  addCommit(draft, files, 'first');
  try {
    renameSync(draft, model);
  } catch {
    // Another process was faster.
    rmSync(draft, { recursive: true });
  }
  return model;
}

/** They are half of the files of a new repository, and each copy would have them. */
function removeSampleHooks(hooks: string): void {
  for (const name of readdirSync(hooks)) rmSync(join(hooks, name));
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
