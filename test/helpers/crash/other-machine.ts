import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LONGEST_SILENCE_MS } from '../../../src/domain/process-identity.js';
import { needPart } from '../../parts/required-part.js';
import { BINARY, type Carrel, type Outcome } from '../carrel.js';
import { childrenOf } from '../machine/processes.js';
import { tempDir } from '../temp.js';
import { waitFor } from '../wait-for.js';

/** Prefix of a command that gives it its own pid namespace, like a container; it is the first process there. */
export function inNamespace(): string[] {
  return tried([...NAMESPACE, '--']);
}

/** The same with another boot id, machine id and host name: all that distinguishes one machine from another. */
export function onMachine(host: string): string[] {
  const directory = tempDir();
  const show = (name: string, text: string, at: string): string[] => {
    writeFileSync(join(directory, name), `${text}\n`);
    return existsSync(at) ? ['--ro-bind', join(directory, name), at] : [];
  };
  const boot = show('boot', '11111111-2222-4333-8444-555555555555', '/proc/sys/kernel/random/boot_id');
  const machine = show('machine', '0123456789abcdef0123456789abcdef', '/etc/machine-id');
  return tried([...NAMESPACE, '--unshare-uts', '--hostname', host, ...boot, ...machine, '--']);
}

const NAMESPACE = [
  ...['bwrap', '--dev-bind', '/', '/', '--unshare-pid', '--proc', '/proc'],
  ...['--as-pid-1', '--die-with-parent'],
];

function tried(words: string[]): string[] {
  const [command = '', ...args] = [...words, 'true'];
  needPart(spawnSync(command, args).status === 0, 'bubblewrap');
  return words;
}

/** Runs Carrel behind such words, and waits for it. */
export function runBehind(words: readonly string[], carrel: Carrel, cwd: string, ...args: string[]): Outcome {
  const [command = '', ...before] = words;
  const options = { cwd, env: carrel.env, encoding: 'utf8' } as const;
  const { status, signal, stdout, stderr } = spawnSync(
    command,
    [...before, process.execPath, BINARY, ...args],
    options,
  );
  return { status, signal, stdout, stderr };
}

export interface Behind {
  readonly child: ChildProcess;
  readonly ended: Promise<Outcome>;
  /** The pid of Carrel itself, as we see it. */
  pid(): Promise<number>;
}

export function startBehind(
  words: readonly string[],
  carrel: Carrel,
  cwd: string,
  ...args: string[]
): Behind {
  const [command = '', ...before] = words;
  const child = spawn(command, [...before, process.execPath, BINARY, ...args], {
    cwd,
    env: carrel.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const text = { stdout: '', stderr: '' };
  child.stdout.on('data', chunk => {
    text.stdout += chunk;
  });
  child.stderr.on('data', chunk => {
    text.stderr += chunk;
  });
  const ended = new Promise<Outcome>(settle =>
    child.on('close', (status, signal) => settle({ status, signal, ...text })),
  );
  const pid = async () =>
    Number((await waitFor('Carrel to start', () => childrenOf(child.pid ?? 0)[0])).split(' ')[0]);
  return { child, ended, pid };
}

/** Lets everything that shows life in the directory be as old as if it had been silent for too long. */
export function letFallSilent(directory: string, names = readdirSync(directory)): void {
  const past = (Date.now() - 2 * LONGEST_SILENCE_MS) / 1000;
  for (const name of names) utimesSync(join(directory, name), past, past);
}
