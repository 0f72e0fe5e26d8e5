import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkspaceDetails } from '../../../src/domain/workspace/workspace.js';
import { BINARY, type Carrel, createCarrel, type Outcome } from '../carrel.js';
import type { Surroundings } from '../leftovers.js';
import { git, makeRepository, writeFiles } from '../repository.js';
import { tempDir } from '../temp.js';

/** A repository and its workspace `a` on the branch carrel/a, made by the real command. */
export interface Fixture extends Surroundings {
  readonly path: string;
  readonly id: string;
  readonly branch: string;
  /** The real command in the repository. */
  run(...args: string[]): Outcome;
  /** The same when it has to succeed; standard output. */
  ok(...args: string[]): string;
  /** git in the workspace. */
  git(...args: string[]): string;
  /** A command line for a shell in the directory; `carrel` is the real command. */
  type(directory: string, line: string): Outcome;
}

export const DESK_FILES = {
  'README.md': 'hello\n',
  'source/one.txt': 'one\n',
  'source/two.txt': 'two\n',
  '.gitignore': '*.log\nnode_modules/\n',
};

export interface FixtureOptions {
  readonly repository?: string;
  readonly carrel?: Carrel;
  /** For `carrel up a`. */
  readonly up?: readonly string[];
  /** The user's own settings, as in config.yaml. */
  readonly config?: string;
}

export function makeFixture(options: FixtureOptions = {}): Fixture {
  const repository = options.repository ?? makeRepository(DESK_FILES);
  const carrel = options.carrel ?? createTidyCarrel();
  if (options.config) writeFiles(carrel.home, { 'config/carrel/config.yaml': options.config });
  const { path, id } = carrel.json<WorkspaceDetails>(repository, 'up', 'a', ...(options.up ?? []));
  return {
    repository,
    carrel,
    temporary: carrel.env.TMPDIR as string,
    path,
    id,
    branch: 'carrel/a',
    run: (...args) => carrel.run(repository, ...args),
    ok: (...args) => carrel.ok(repository, ...args),
    git: (...args) => git(path, ...args),
    type: (directory, line) => {
      const script = `carrel() { "${process.execPath}" "${BINARY}" "$@"; }\n${line}; exit $?`;
      return spawnSync('/bin/sh', ['-c', script], { cwd: directory, env: carrel.env, encoding: 'utf8' });
    },
  };
}

/** With its own temporary directory, so that leftovers there are noticed. */
export function createTidyCarrel(extra: Readonly<Record<string, string>> = {}): Carrel {
  const home = tempDir();
  const temporary = join(home, 'tmp');
  mkdirSync(temporary);
  return createCarrel(home, { ...extra, TMPDIR: temporary });
}
