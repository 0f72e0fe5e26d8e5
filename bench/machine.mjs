import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus, release, totalmem, type } from 'node:os';

/** In words, without anything that names this very machine. */
export function describeMachine(directory) {
  return [
    `${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'}), ${Math.round(totalmem() / 1024 ** 3)} GB of memory`,
    `${type()} ${release()}, ${fileSystemOf(directory)}`,
    `Node ${process.versions.node}, ${execFileSync('git', ['--version'], { encoding: 'utf8' }).trim()}`,
  ].join('; ');
}

/** The mount with the longest path that the directory lies below. */
function fileSystemOf(directory) {
  try {
    const mounts = readFileSync('/proc/self/mounts', 'utf8')
      .trim()
      .split('\n')
      .map(line => line.split(' '));
    const above = mounts.filter(([, point]) => `${directory}/`.startsWith(point === '/' ? '/' : `${point}/`));
    return above.sort(([, a], [, b]) => b.length - a.length)[0]?.[2] ?? 'unknown file system';
  } catch {
    return 'unknown file system';
  }
}
