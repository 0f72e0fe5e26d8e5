import { type ChildProcess, execFileSync, type SpawnOptions, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Program } from '../../escape/harness/program.js';
import type { Outcome } from '../carrel.js';
import { gitEnv } from '../repository.js';
import { findReadableProgram } from '../workspace/readable-program.js';
import type { Flavour } from './escape-flavour.js';
import { type EscapeSurroundings, makeSurroundings } from './escape-surroundings.js';
import { programWords } from './escape-tools.js';

/** A workspace `a` with full isolation, and the means to act inside of it and outside. */
export interface EscapeFixture extends EscapeSurroundings, Means {
  readonly path: string;
  /** The name of a directory beside it. */
  readonly neighbour: string;
  /** The words after `exec a --` that start a program inside. */
  words(program: Program): string[];
  /** The words for Carrel that start a program inside, which says first that it is there. */
  insideWords(program: Program): string[];
  /** Runs a program inside; fails unless it really was inside. */
  inside(program: Program): Promise<Outcome>;
  /** Removes the workspace and makes it anew, in the same place. */
  renew(): Promise<void>;
  close(): Promise<void>;
}

interface Means {
  /** The real command in the repository, as the user. */
  carrel(...args: string[]): Promise<Outcome>;
  /** Words that start the real command. */
  carrelWords(...args: string[]): string[];
  /** Any program on the host. */
  host(command: readonly string[], options?: HostOptions): Promise<Outcome>;
  /** The same without waiting. */
  start(command: readonly string[], options?: HostOptions): Started;
  /** git as the user, who alone may use it on what is theirs. */
  git(cwd: string, ...args: string[]): string;
}

export interface Started {
  readonly child: ChildProcess;
  readonly outcome: Promise<Outcome>;
  /** What it has printed so far. */
  printed(): string;
}

interface HostOptions {
  readonly as?: 'user' | 'root';
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

export async function makeEscapeFixture(flavour: Flavour): Promise<EscapeFixture> {
  const surroundings = await makeSurroundings(flavour);
  const means = createMeans(surroundings);
  const path = await bringUp(means);
  mkdirSync(join(path, '..', NEIGHBOUR));
  const words = (program: Program) => programWords(program, surroundings.perl);
  const insideWords = (program: Program, nonce = 'nonce') => [
    'exec',
    'a',
    '--',
    ...proving(words(program), nonce),
  ];
  return {
    ...surroundings,
    ...means,
    path,
    neighbour: NEIGHBOUR,
    words,
    insideWords,
    inside: async program => {
      const nonce = randomBytes(8).toString('hex');
      const outcome = await means.carrel(...insideWords(program, nonce));
      requireProof(outcome, nonce);
      return outcome;
    },
    renew: async () => {
      await takeDown(means);
      await bringUp(means);
    },
    close: async () => {
      await takeDown(means);
      await surroundings.remove();
    },
  };
}

const NEIGHBOUR = 'neighbour';

function createMeans({ uid, home, repository, env }: EscapeSurroundings): Means {
  const program = findReadableProgram(uid ?? process.getuid?.() ?? 0, () => {
    const place = join(home, 'program');
    mkdirSync(place);
    return place;
  });
  const owner = uid === undefined ? {} : { uid, gid: uid };
  const start: Means['start'] = (command, { as = 'user', ...rest } = {}) =>
    startProcess(command, { cwd: repository, env, ...rest, ...(as === 'user' ? owner : {}) });
  const carrelWords = (...args: string[]) => [process.execPath, program, ...args];
  return {
    carrel: (...args) => start(carrelWords(...args)).outcome,
    carrelWords,
    host: (command, options) => start(command, options).outcome,
    start,
    git: (cwd, ...args) => {
      const options = { cwd, env: gitEnv(), encoding: 'utf8', stdio: 'pipe', ...owner } as const;
      return execFileSync('git', args, options).trimEnd();
    },
  };
}

async function bringUp({ carrel }: Means): Promise<string> {
  const outcome = await carrel('up', 'a', '--isolation', 'full', '--strict', '--json');
  if (outcome.status !== 0) throw new Error(`up: ${outcome.status}\n${outcome.stderr}${outcome.stdout}`);
  const workspace = JSON.parse(outcome.stdout);
  if (workspace.isolation.effective !== 'full') throw new Error(`no sandbox: ${outcome.stdout}`);
  return workspace.path;
}

async function takeDown({ carrel }: Means): Promise<void> {
  const risks = ['--discard-changes', '--discard-commits', '--stop-processes'];
  const outcome = await carrel('down', 'a', ...risks);
  if (outcome.status !== 0) throw new Error(`down: ${outcome.status}\n${outcome.stderr}${outcome.stdout}`);
}

/** Says from which pid namespace it comes, and becomes the program. */
function proving(words: readonly string[], nonce: string): string[] {
  const say = 'echo "INSIDE $1 $(readlink /proc/self/ns/pid)"; shift; exec "$@"';
  return ['sh', '-c', say, 'sh', nonce, ...words];
}

function requireProof({ stdout, stderr, status }: Outcome, nonce: string): void {
  const [, namespace] = new RegExp(`^INSIDE ${nonce} (pid:\\[\\d+\\])$`, 'm').exec(stdout) ?? [];
  if (namespace === undefined) throw new Error(`the sandbox never started: ${status}\n${stderr}${stdout}`);
  if (namespace === readlinkSync('/proc/self/ns/pid'))
    throw new Error('the command ran outside of the sandbox');
}

/** Without blocking: what listens on the host is in this process. */
function startProcess([command, ...args]: readonly string[], options: SpawnOptions): Started {
  const child = spawn(command as string, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const text = { stdout: '', stderr: '' };
  child.stdout?.on('data', chunk => {
    text.stdout += chunk;
  });
  child.stderr?.on('data', chunk => {
    text.stderr += chunk;
  });
  const outcome = new Promise<Outcome>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status, signal) => resolve({ status, signal, ...text }));
  });
  return { child, outcome, printed: () => text.stdout };
}
