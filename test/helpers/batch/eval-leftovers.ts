import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Carrel } from '../carrel.js';
import { isRunning } from '../machine/processes.js';
import { readRecords } from '../records.js';

/** What a batch has left that is neither a result nor a mirror or base for the next one, one line each. */
export function findEvalLeftovers(carrel: Carrel): string[] {
  const { workspaces, journal, commands, remains } = readRecords(carrel.stateDir);
  return [
    ...list(carrel.cacheDir, ['eval']).map(name => `cache: ${name}`),
    ...list(join(carrel.cacheDir, 'eval'), ['bases', 'mirrors', 'desks', 'kept']).map(
      name => `eval: ${name}`,
    ),
    ...list(join(carrel.cacheDir, 'eval/desks')).map(name => `desk: ${name}`),
    ...list(join(carrel.cacheDir, 'eval/kept')).map(name => `kept: ${name}`),
    ...list(carrel.env.TMPDIR as string).map(name => `temporary: ${name}`),
    ...list(join(carrel.stateDir, 'sandboxes'), ['.runtime']).map(name => `sandbox: ${name}`),
    ...[...workspaces, ...journal, ...commands, ...remains].map(({ id }) => `record: ${id}`),
    ...findMounts(carrel.home).map(place => `mount: ${place}`),
    ...findProcesses(carrel.home).map(pid => `process: ${pid}`),
  ];
}

const list = (directory: string, expected: readonly string[] = []): string[] =>
  existsSync(directory) ? readdirSync(directory).filter(name => !expected.includes(name)) : [];

const findMounts = (below: string): string[] =>
  readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .map(line => line.split(' ')[1] ?? '')
    .filter(place => place.startsWith(`${below}/`));

/** Whoever was started by this Carrel, or by what that started, has its home in the environment. */
const findProcesses = (home: string): number[] =>
  readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(Number)
    .filter(pid => environmentOf(pid).split('\0').includes(`HOME=${home}`) && isRunning(pid));

function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    return '';
  }
}
