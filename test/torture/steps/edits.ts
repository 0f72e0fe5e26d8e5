import {
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { SeededRandom } from '../../helpers/seeded-random.js';
import { gitEdits } from './git-edits.js';
import { oddEdits } from './odd-edits.js';

/** Something that is done in a workspace by hand. What can't be done as things are throws, and then isn't done. */
export type Edit = (path: string, random: SeededRandom) => void;

const fileEdits = {
  write: (path, random) => write(path, `new-${number(random)}.txt`, text(random)),
  change: (path, random) => write(path, pickFile(path, random), text(random)),
  append: (path, random) => {
    const name = pickFile(path, random);
    write(path, name, `${readFileSync(join(path, name), 'latin1')}more\n`);
  },
  delete: (path, random) => rmSync(join(path, pickFile(path, random))),
  'delete-directory': path => rmSync(join(path, 'source/deep'), { recursive: true }),
  ignored: (path, random) =>
    write(path, random.pick(['a.log', 'b.log', 'build/out.bin', '.env']), text(random)),
  regenerable: (path, random) => write(path, `node_modules/p${number(random)}/index.js`, text(random)),
  mode: (path, random) =>
    chmodSync(join(path, pickFile(path, random)), random.pick([0o600, 0o755, 0o444, 0o664])),
  'empty-directory': (path, random) =>
    mkdirSync(join(path, `empty-${number(random)}/inner`), { recursive: true }),
  'link-outside': (path, random) =>
    symlinkSync(
      random.pick(['/etc/passwd', '../../../..', '/nowhere/at/all']),
      join(path, `link-${number(random)}`),
    ),
  'link-for-file': (path, random) => {
    const name = pickFile(path, random);
    rmSync(join(path, name));
    symlinkSync('README.md', join(path, name));
  },
  'directory-for-file': path => {
    rmSync(join(path, 'source/two.txt'));
    write(path, 'source/two.txt/inside', 'now a directory\n');
  },
  // Not what a command writes to: it would change the other name as well.
  'hard-link': (path, random) => {
    const name = pickFile(path, random);
    const linked = name.startsWith('exec.') ? 'README.md' : name;
    linkSync(join(path, linked), join(path, `hard-${number(random)}`));
  },
  sparse: (path, random) => {
    const file = join(path, `sparse-${number(random)}.bin`);
    writeFileSync(file, 'begin');
    truncateSync(file, 3_000_000);
  },
  many: (path, random) => {
    const folder = `many-${number(random)}`;
    for (let at = 0; at < 60; at++) write(path, `${folder}/${at % 7}/${at}.txt`, text(random));
  },
} satisfies Record<string, Edit>;

export const edits = { ...fileEdits, ...oddEdits, ...gitEdits } satisfies Record<string, Edit>;

export type EditKind = keyof typeof edits;

/** Those that need no git in the directory. */
export const plainEditKinds = Object.keys({ ...fileEdits, ...oddEdits }) as EditKind[];
export const allEditKinds = Object.keys(edits) as EditKind[];

function write(root: string, name: string, content: string): void {
  mkdirSync(join(root, name, '..'), { recursive: true });
  writeFileSync(join(root, name), content);
}

/** Few, so that edits meet. */
const number = (random: SeededRandom): number => Math.floor(random.next() * 5);

const text = (random: SeededRandom): string => {
  const words = Array.from({ length: 1 + Math.floor(random.next() * 6) }, () => random.next().toString(36));
  return random.pick([`${words.join('\n')}\n`, words.join('\r\n'), `\0${words.join('')}`, '']);
};

/** A file that is there, at the top or below source/. */
function pickFile(path: string, random: SeededRandom): string {
  const names = ['', 'source/', 'source/deep/'].flatMap(folder => listPlain(path, folder));
  return random.pick(names);
}

function listPlain(path: string, folder: string): string[] {
  try {
    return readdirSync(join(path, folder), { withFileTypes: true })
      .filter(entry => entry.isFile() && /^[\w. -]+$/.test(entry.name) && !entry.name.startsWith('.git'))
      .map(entry => `${folder}${entry.name}`)
      .sort();
  } catch {
    return [];
  }
}
