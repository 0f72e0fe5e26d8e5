import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { isRunning } from '../../../test/helpers/machine/processes.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { requireProgram } from '../../../test/parts/required-part.js';
import type { ProcessIdentity } from '../../domain/process-identity.js';
import { identifyProcess } from '../process/identify-process.js';
import { hasProc } from '../process/process-table.js';
import { killStrays } from './stray-processes.js';

beforeEach(context => requireProgram(context, 'setsid'));

const self = identifyProcess(process.pid) as ProcessIdentity;
const started: number[] = [];

afterEach(() => {
  for (const pid of started.splice(0)) if (isRunning(pid)) process.kill(pid, 'SIGKILL');
});

/** Starts `sleep` as the child of a daemon that has left its parent and its session, and gives the pids of both. */
function startDaemon(directory: string, prefix: string, cwd = directory): [number, number] {
  const file = join(tempDir(), 'pids');
  const daemon = `sleep 600 & echo $$ $! > ${file}.new; mv ${file}.new ${file}; wait`;
  const script = `(cd ${cwd}; ${prefix} setsid sh -c '${daemon}' </dev/null >/dev/null 2>&1 &)
    while ! test -f ${file}; do sleep 0.01; done`;
  spawnSync('/bin/sh', ['-c', script], { env: { PATH: process.env.PATH, TERM: 'dumb' } });
  const pids = readFileSync(file, 'latin1').split(' ').map(Number) as [number, number];
  started.push(...pids);
  return pids;
}

const end = (directory: string, since = self) => killStrays(directory, since, { graceMs: 1000 });

it.runIf(hasProc())('kills a daemon that has wiped its environment, and its children', async () => {
  const directory = tempDir();
  const pids = startDaemon(directory, 'env -i');
  expect(await end(directory)).toBe(1);
  expect(pids.map(isRunning)).toEqual([false, false]);
});

it.runIf(hasProc())(
  'leaves alone what the user has started there, before or since, and elsewhere',
  async () => {
    const directory = tempDir();
    const mine = startDaemon(directory, '');
    const elsewhere = startDaemon(directory, 'env -i', '/');
    expect(await end(directory)).toBe(0);
    const earlier = startDaemon(directory, 'env -i');
    const later = { ...self, startedAt: String(Number(identifyProcess(earlier[0])?.startedAt) + 1) };
    expect(await end(directory, later)).toBe(0);
    expect([...mine, ...elsewhere, ...earlier].every(isRunning)).toBe(true);
  },
);
