import { spawnSync } from 'node:child_process';
import { lchownSync, lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isRoot } from '../../parts/required-part.js';
import { createCarrel, type Outcome } from '../carrel.js';
import { makeRepository, writeFiles } from '../repository.js';
import { tempDir } from '../temp.js';
import { findReadableProgram } from './readable-program.js';
import { DESK_FILES, type FixtureOptions } from './test-workspace.js';

/** The uid without any rights on every system. */
const NOBODY = 65_534;

/** Like a test workspace, with everything in it owned by an ordinary user, who also runs the command. */
export interface OrdinaryFixture {
  readonly path: string;
  run(...args: string[]): Outcome;
  /** Files in the workspace that belong to the user. */
  write(files: Record<string, string>): void;
  remove(name: string): void;
}

export function makeOrdinaryFixture(options: Pick<FixtureOptions, 'up' | 'config'> = {}): OrdinaryFixture {
  const home = tempDir();
  if (options.config) writeFiles(home, { 'config/carrel/config.yaml': options.config });
  const repository = makeRepository(DESK_FILES, join(home, 'repo'));
  const temporary = join(home, 'tmp');
  mkdirSync(temporary);
  giveAway(home);
  const { env } = createCarrel(home, { TMPDIR: temporary, XDG_CACHE_HOME: join(home, 'caches') });
  const user = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
  const program = findReadableProgram(NOBODY);
  const run = (...args: string[]): Outcome => {
    const caller = { cwd: repository, env, encoding: 'utf8', ...user } as const;
    return spawnSync(process.execPath, [program, ...args], caller);
  };
  const path = run('up', 'a', ...(options.up ?? [])).stdout.trim();
  return {
    path,
    run,
    write: files => {
      writeFiles(path, files);
      giveAway(path);
    },
    remove: name => rmSync(join(path, name), { recursive: true }),
  };
}

export function giveAway(path: string): void {
  if (!isRoot) return;
  lchownSync(path, NOBODY, NOBODY);
  if (lstatSync(path).isDirectory()) for (const name of readdirSync(path)) giveAway(join(path, name));
}
