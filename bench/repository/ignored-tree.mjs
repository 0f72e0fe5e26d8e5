import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createSourceText } from './source-text.mjs';

const FILES_PER_PACKAGE = 80;
const FILES_PER_FOLDER = 16;
const AVERAGE_BYTES = 2500;

/** A tree like node_modules: many packages with a few folders of small files each. */
export function writeIgnoredTree(repository, count) {
  const text = createSourceText(count);
  for (let index = 0; index < count; index++) {
    const file = join(repository, ignoredPathOf(index));
    if (index % FILES_PER_FOLDER === 0) mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text(index, (index * 7919) % (2 * AVERAGE_BYTES)));
  }
}

export function ignoredPathOf(index) {
  const owner = `package-${Math.floor(index / FILES_PER_PACKAGE)}`;
  return join('node_modules', owner, `lib-${Math.floor(index / FILES_PER_FOLDER)}`, `${index}.js`);
}
