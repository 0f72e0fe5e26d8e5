import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { tempDir } from '../temp.js';

/** A `git` for the PATH of a test that notes each call and then is the real one. */
export function makeCountingGit(path = process.env.PATH ?? ''): {
  readonly PATH: string;
  /** The subcommands since the last call, in alphabetical order: several may run at once. */
  readonly takeCalls: () => string[];
} {
  const folder = tempDir();
  const log = join(folder, 'calls');
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8', env: { PATH: path } }).trim();
  writeFileSync(join(folder, 'git'), `#!/bin/sh\necho "$*" >> '${log}'\nexec '${real}' "$@"\n`);
  chmodSync(join(folder, 'git'), 0o755);
  const takeCalls = () => {
    const lines = existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [];
    rmSync(log, { force: true });
    return lines.map(findSubcommand).sort();
  };
  return { PATH: [folder, path].join(delimiter), takeCalls };
}

/** The first word that is neither an option nor the value of `-c`. */
function findSubcommand(line: string): string {
  const words = line.split(' ');
  const at = words.findIndex((word, index) => !word.startsWith('-') && words[index - 1] !== '-c');
  return words[at] ?? line;
}

/** Which file each path below a directory is, and when it was last written or replaced. Without `.git`. */
export function identifyFiles(directory: string): Map<string, string> {
  const paths = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter(
    path => path.split('/')[0] !== '.git' && lstatSync(join(directory, path)).isFile(),
  );
  return new Map(
    paths.sort().map(path => {
      const { ino, mtimeNs } = lstatSync(join(directory, path), { bigint: true });
      return [path, `${ino} ${mtimeNs}`];
    }),
  );
}
