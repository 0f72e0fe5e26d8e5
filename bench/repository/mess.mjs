import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathOf } from './history.mjs';
import { repositorySizes } from './repository-sizes.mjs';

const EDITS = 20;
const NEW_FILES = 200;
const BUILD_FILES = 2000;
const FILES_PER_FOLDER = 40;

/** What a busy agent leaves: 20 edits, 200 new files and an ignored build directory of 2,000 files. */
export function makeMess(path, sizeName, round) {
  const step = Math.floor((repositorySizes[sizeName].files - 1) / EDITS);
  for (let index = 0; index < EDITS; index++) {
    appendFileSync(join(path, pathOf(1 + index * step)), `edited in round ${round}\n`);
  }
  writeMany(join(path, 'notes'), NEW_FILES, `new in round ${round}\n`.repeat(50));
  writeMany(join(path, 'build'), BUILD_FILES, `built in round ${round}\n`.repeat(100));
}

const FEW_FILES = 20;

/** 20 edits and 40 new files, half of them ignored; a commit on a new branch, a stash, a nested repository, a setting. */
export function makeLittleMess(path, sizeName, round, git) {
  const step = Math.floor((repositorySizes[sizeName].files - 1) / EDITS);
  for (let index = 0; index < EDITS; index++) {
    appendFileSync(join(path, pathOf(1 + index * step)), `edited in round ${round}\n`);
  }
  for (const name of ['notes', 'build']) writeMany(join(path, name), FEW_FILES, `new in round ${round}\n`);
  git('checkout', '-q', '-b', `round-${round}`);
  git('add', 'notes');
  git('-c', 'user.name=x', '-c', 'user.email=x', 'commit', '-q', '--message', 'work');
  git('-c', 'user.name=x', '-c', 'user.email=x', 'stash', '--quiet');
  appendFileSync(join(path, pathOf(1)), `edited again in round ${round}\n`);
  git('config', 'bench.round', String(round));
  git('init', '--quiet', 'nested');
}

function writeMany(directory, count, text) {
  for (let index = 0; index < count; index++) {
    const folder = join(directory, `folder-${Math.floor(index / FILES_PER_FOLDER)}`);
    if (index % FILES_PER_FOLDER === 0) mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `file-${index}.txt`), `${index}\n${text}`);
  }
}
