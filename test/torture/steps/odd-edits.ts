import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRoot } from '../../parts/required-part.js';
import type { Edit } from './edits.js';

/** What programs choke on. */
export const oddEdits = {
  'name-newline': path => writeFileSync(join(path, 'new\nline.txt'), 'newline\n'),
  'name-bytes': path => writeFileSync(inBytes(path, 'latin-\xe9\xff.txt'), 'not UTF-8\n'),
  'name-dash': path => writeFileSync(join(path, '-rf'), 'dash\n'),
  'name-long': path => writeFileSync(join(path, 'l'.repeat(255)), 'long\n'),
  'name-unicode': path => {
    writeFileSync(join(path, 'e\u0301.txt'), 'decomposed\n');
    writeFileSync(join(path, '\u00e9.txt'), 'composed\n');
  },
  'name-glob': path => writeFileSync(join(path, '[*]?:!.txt'), 'magic\n'),
  'name-quote': path => writeFileSync(join(path, '"quoted\\".txt\t'), 'quote\n'),
  'case-twins': path => {
    writeFileSync(join(path, 'Twin.txt'), 'upper\n');
    writeFileSync(join(path, 'twin.txt'), 'lower\n');
  },
  'like-git': path => {
    mkdirSync(join(path, '.GIT-x'), { recursive: true });
    writeFileSync(join(path, '.GIT-x/config'), 'not a repository\n');
  },
  deep: path => {
    const folder = join(path, ...Array.from({ length: 40 }, (_, at) => `level-${at}`));
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'bottom.txt'), 'bottom\n');
  },
  fifo: path => void spawnSync('mkfifo', [join(path, 'pipe')]),
  socket: path => {
    // The file stays when the process that made it is killed.
    const program = `require('node:net').createServer().listen('s.sock', () => process.kill(process.pid, 'SIGKILL'))`;
    spawnSync(process.execPath, ['-e', program], { cwd: path });
  },
  'closed-file': path => {
    if (!isRoot) return;
    writeFileSync(join(path, 'closed.txt'), 'closed\n');
    chmodSync(join(path, 'closed.txt'), 0);
  },
  'closed-directory': path => {
    if (!isRoot) return;
    mkdirSync(join(path, 'closed'), { recursive: true });
    writeFileSync(join(path, 'closed/inside.txt'), 'inside\n');
    chmodSync(join(path, 'closed'), 0);
  },
} satisfies Record<string, Edit>;

const inBytes = (root: string, name: string): Buffer =>
  Buffer.concat([Buffer.from(`${root}/`), Buffer.from(name, 'latin1')]);
