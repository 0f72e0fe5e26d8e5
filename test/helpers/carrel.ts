import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { inject, onTestFinished } from 'vitest';
import { runWarm } from '../warm/client.js';
import type { WarmCall } from '../warm/protocol.js';
import { gitEnv } from './repository.js';
import { tempDir } from './temp.js';

export const BINARY = resolve(import.meta.dirname, '../../bin/carrel.cjs');

export interface Outcome {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The real command with its own state and cache. */
export interface Carrel {
  readonly home: string;
  readonly stateDir: string;
  readonly cacheDir: string;
  readonly env: Readonly<Record<string, string>>;
  /** Runs it in `cwd` and gives how it went. */
  run(cwd: string, ...args: string[]): Outcome;
  /** The same with extra variables. */
  runWith(env: Record<string, string>, cwd: string, ...args: string[]): Outcome;
  /** Standard output, trimmed; throws unless the exit status is 0. */
  ok(cwd: string, ...args: string[]): string;
  /** Standard output of a successful call with --json, parsed. */
  json<T = Record<string, unknown>>(cwd: string, ...args: string[]): T;
  /** The error of a failing call with --json. */
  error(
    cwd: string,
    ...args: string[]
  ): { status: number | null; code: string; message: string; hint: string; details: Record<string, unknown> };
  /** Starts it without waiting. */
  start(cwd: string, ...args: string[]): Promise<Outcome> & { readonly child: ChildProcess };
  /** The same with extra variables. */
  startWith(
    env: Record<string, string>,
    cwd: string,
    ...args: string[]
  ): Promise<Outcome> & { readonly child: ChildProcess };
}

export function createCarrel(home = tempDir(), extra: Readonly<Record<string, string>> = {}): Carrel {
  const stateDir = `${home}/state`;
  const cacheDir = `${home}/cache`;
  const env = {
    ...gitEnv(),
    HOME: home,
    TMPDIR: process.env.TMPDIR ?? '/tmp',
    CARREL_STATE_DIR: stateDir,
    CARREL_CACHE_DIR: cacheDir,
    XDG_CONFIG_HOME: `${home}/config`,
    // Compiling it anew for each test would take longer than most commands.
    XDG_CACHE_HOME: inject('caches'),
    ...extra,
  };
  const runWith = (more: Record<string, string>, cwd: string, ...args: string[]): Outcome => {
    const call = { cwd, env: { ...env, ...more }, args };
    // bin/carrel.cjs itself answers the version, and what is to be killed need not be warm.
    const isOwn = startsProcesses || args[0] === '--version' || 'CARREL_TEST_KILL_AT' in more;
    if (isOwn) return runProcess(call);
    return runWarm({ ...call, ownCommand: [process.execPath, BINARY] });
  };
  const run = (cwd: string, ...args: string[]) => runWith({}, cwd, ...args);
  const ok = (cwd: string, ...args: string[]): string => {
    const outcome = run(cwd, ...args);
    if (outcome.status !== 0)
      throw new Error(
        `carrel ${args.join(' ')}: ${outcome.status ?? outcome.signal}\n${outcome.stderr}${outcome.stdout}`,
      );
    return outcome.stdout.trimEnd();
  };
  return {
    home,
    stateDir,
    cacheDir,
    env,
    run,
    runWith,
    ok,
    json: (cwd, ...args) => JSON.parse(ok(cwd, ...args, '--json')),
    error: (cwd, ...args) => {
      const { status, stdout } = run(cwd, ...args, '--json');
      return { status, ...JSON.parse(stdout).error };
    },
    start: (cwd, ...args) => startCarrel(env, cwd, args),
    startWith: (more, cwd, ...args) => startCarrel({ ...env, ...more }, cwd, args),
  };
}

let startsProcesses = false;

/**
 * For the rest of a test, every call is a process, as a user's is: for what depends on how a process starts or ends, or on
 * what it has not seen yet.
 */
export function useRealProcesses(): void {
  startsProcesses = true;
  onTestFinished(() => {
    startsProcesses = false;
  });
}

function runProcess({ cwd, env, args }: Omit<WarmCall, 'ownCommand'>): Outcome {
  const options = { cwd, env, encoding: 'utf8', maxBuffer: 256 * 1024 ** 2 } as const;
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, [BINARY, ...args], options);
  return { status, signal, stdout, stderr };
}

function startCarrel(env: Readonly<Record<string, string>>, cwd: string, args: readonly string[]) {
  const child = spawn(process.execPath, [BINARY, ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const text = { stdout: '', stderr: '' };
  child.stdout.on('data', chunk => {
    text.stdout += chunk;
  });
  child.stderr.on('data', chunk => {
    text.stderr += chunk;
  });
  const done = new Promise<Outcome>(settle =>
    child.on('close', (status, signal) => settle({ status, signal, ...text })),
  );
  return Object.assign(done, { child });
}
