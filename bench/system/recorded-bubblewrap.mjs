import { execFileSync } from 'node:child_process';
import { chmodSync, closeSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { runToEnd } from './process.mjs';

const MARK = 'recorded';

/**
 * Has Carrel run `true` in a workspace by a `bwrap` that notes what it is given, and gives a function that runs plain
 * bwrap with just that: the same arguments, and the same contents of the files that it gets as descriptors.
 */
export async function recordBubblewrap(scene, name) {
  const folder = join(scene.home, 'recorded-bubblewrap');
  const real = execFileSync('sh', ['-c', 'command -v bwrap'], { encoding: 'utf8' }).trim();
  mkdirSync(join(folder, 'descriptors'), { recursive: true });
  installRecorder(folder, real);
  const path = scene.env.PATH;
  scene.env.PATH = [folder, path].join(delimiter);
  try {
    await scene.carrel('exec', name, '--', 'true', MARK);
  } finally {
    scene.env.PATH = path;
  }
  const words = readFileSync(join(folder, 'words'), 'utf8').trimEnd().split('\n');
  return () => replay(scene, real, words, join(folder, 'descriptors'));
}

/** Copying opens the files anew, so that bwrap still finds them at their beginning. */
function installRecorder(folder, real) {
  const lines = [
    '#!/bin/sh',
    `case "$*" in *' ${MARK}')`,
    '  for each in 3 4 5 6 7 8 9; do',
    `    if [ -e "/proc/self/fd/$each" ]; then cp "/proc/self/fd/$each" '${folder}/descriptors/'; fi`,
    '  done',
    `  printf '%s\\n' "$@" > '${folder}/words' ;;`,
    'esac',
    `exec '${real}' "$@"`,
  ];
  writeFileSync(join(folder, 'bwrap'), `${lines.join('\n')}\n`);
  chmodSync(join(folder, 'bwrap'), 0o755);
}

/** The copies have the numbers of the descriptors for names. */
async function replay(scene, real, words, folder) {
  const files = readdirSync(folder).sort();
  const descriptors = files.map(name => openSync(join(folder, name), 'r+'));
  try {
    await runToEnd(real, words, { cwd: scene.home, env: scene.env, descriptors });
  } finally {
    for (const descriptor of descriptors) closeSync(descriptor);
  }
}
