import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const PATIENCE_MS = 180_000;

/**
 * Waits until nothing runs any more that was started for a scene, and the disk has taken what was written: otherwise a
 * run pays for the one before it.
 */
export async function waitForQuiet(home) {
  const end = performance.now() + PATIENCE_MS;
  while (await isBusy(home)) {
    if (performance.now() > end)
      throw new Error(`something still works in ${home} after ${PATIENCE_MS / 1000} s`);
    await sleep(50);
  }
  await run('sync');
}

async function isBusy(home) {
  if (existsSync('/proc/self/environ')) return processIds().some(id => mentions(id, home));
  // macOS: with `e`, ps shows the environment too.
  const { stdout } = await run('ps', ['axeww', '-o', 'pid=,command='], { maxBuffer: 1024 ** 3 });
  return stdout.split('\n').some(line => line.includes(home) && Number.parseInt(line, 10) !== process.pid);
}

const processIds = () =>
  readdirSync('/proc').filter(name => /^\d+$/.test(name) && Number(name) !== process.pid);

/** A process may end while it is looked at, and those of other users can't be; neither is ours. */
function mentions(id, home) {
  const reads = [
    () => readFileSync(`/proc/${id}/cmdline`, 'latin1'),
    () => readFileSync(`/proc/${id}/environ`, 'latin1'),
    () => readlinkSync(`/proc/${id}/cwd`),
  ];
  return reads.some(read => {
    try {
      return read().includes(home);
    } catch {
      return false;
    }
  });
}
