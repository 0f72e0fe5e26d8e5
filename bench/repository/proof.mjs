import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readOutput } from '../system/process.mjs';
import { pathOf } from './history.mjs';
import { repositorySizes } from './repository-sizes.mjs';

/** The files that a checkout writes last are there. */
export function requireFiles(path, sizeName) {
  const { files } = repositorySizes[sizeName];
  for (const file of [pathOf(1), pathOf(files - 1), pathOf(files >> 1)]) {
    if (!existsSync(join(path, file))) throw new Error(`${file} is missing in ${path}`);
  }
}

export function requireGone(path) {
  if (existsSync(path)) throw new Error(`${path} is still there`);
}

/** At the commit, with nothing changed, new or ignored in it. */
export async function requireClean(path, commit, env) {
  const options = { cwd: path, env };
  const head = await readOutput('git', ['rev-parse', 'HEAD'], options);
  if (head !== commit) throw new Error(`${path} is at ${head}, expected ${commit}`);
  const changes = await readOutput('git', ['status', '--porcelain', '--ignored'], options);
  if (changes !== '') throw new Error(`${path} is not clean: ${changes.split('\n', 1)[0]}`);
}
