import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { seededRandom } from '../../../bench/repository/seeded-random.mjs';
import { git, gitEnvironment } from './git.mjs';

const FILES = 300;
const COMMITS = 4;

/** A repository of 300 files and a few commits, and a Carrel that knows nothing but it. */
export async function makeSite({ slots, seed, overlay }) {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'carrel-soak-')));
  const repository = join(home, 'repository');
  const temporary = join(home, 'temporary');
  mkdirSync(temporary);
  write(join(home, 'config/carrel'), { 'config.yaml': `pool:\n  size: ${slots}\n  overlay: ${overlay}\n` });
  return {
    home,
    repository,
    journalFile: join(home, 'journal.jsonl'),
    stateDir: join(home, 'state'),
    cacheDir: join(home, 'cache'),
    temporary,
    commits: await makeRepository(repository, seededRandom(seed)),
    environment: {
      ...gitEnvironment,
      HOME: home,
      TMPDIR: temporary,
      CARREL_STATE_DIR: join(home, 'state'),
      CARREL_CACHE_DIR: join(home, 'cache'),
      XDG_CONFIG_HOME: join(home, 'config'),
    },
    remove: () => rmSync(home, { recursive: true, force: true }),
  };
}

async function makeRepository(repository, random) {
  mkdirSync(repository);
  await git(repository, 'init', '--quiet', '--initial-branch=main');
  const text = index => `${index} ${random()}\n`.repeat(1 + Math.floor(random() * 40));
  const files = Array.from({ length: FILES }, (_, index) => [
    `source/${index % 12}/${index}.txt`,
    text(index),
  ]);
  write(repository, { ...Object.fromEntries(files), '.gitignore': '*.secret\n/output/\n' });
  writeFileSync(join(repository, 'run.sh'), '#!/bin/sh\necho run\n', { mode: 0o755 });
  symlinkSync('source/0/0.txt', join(repository, 'link'));
  const commits = [];
  for (let round = 0; round < COMMITS; round++) {
    // About ten files differ between neighbours, one is only in every second commit.
    for (let index = round; index < FILES; index += 30)
      write(repository, { [`source/${index % 12}/${index}.txt`]: text(index) });
    if (round % 2 === 0) write(repository, { 'sometimes.txt': `${round}\n` });
    else rmSync(join(repository, 'sometimes.txt'));
    await git(repository, 'add', '--all');
    await git(repository, 'commit', '--quiet', '-m', `round ${round}`);
    commits.push(await git(repository, 'rev-parse', 'HEAD'));
  }
  return commits;
}

export function write(root, files) {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), content);
  }
}
