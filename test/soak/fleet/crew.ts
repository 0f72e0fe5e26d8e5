import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type EngineTiming, FLEET_TIMING } from '../../../src/fleet/engine/engine.js';
import type { Job } from '../../../src/fleet/engine/job.js';
import { tempDir } from '../../helpers/temp.js';
import { type PausableProxy, startPausableProxy } from './pausable-proxy.js';

/** What a host of the soak wrote down. */
export interface Entry {
  readonly event: 'begun' | 'stopped' | 'finished';
  readonly run: string;
  readonly task: string;
  readonly claim: number;
  readonly host: string;
  readonly at: number;
}

export interface CrewOptions {
  /** Of a database on a socket of this machine. */
  readonly url: string;
  readonly slots: number;
  readonly timing?: EngineTiming;
  readonly keepsJournal: boolean;
  /** Each worker gets its own way to the database, which can be cut. */
  readonly hasProxies?: boolean;
}

export interface Member {
  readonly id: string;
  /** Its own way to the database, when the crew has them. */
  readonly proxy: PausableProxy | undefined;
  /** Returns when it is ready to claim. */
  start(): Promise<void>;
  signal(name: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): void;
  /** Returns when the process is gone. */
  kill(): Promise<void>;
}

export interface Crew {
  readonly members: readonly Member[];
  readJournal(): Entry[];
}

/** Three workers, each a process, which are killed at the end. */
export async function withCrew(options: CrewOptions, use: (crew: Crew) => Promise<void>): Promise<void> {
  const journal = join(tempDir(), 'journal');
  const ids = ['one', 'two', 'three'];
  const members = await Promise.all(ids.map(id => createMember(id, options, journal)));
  try {
    await Promise.all(members.map(member => member.start()));
    await use({ members, readJournal: () => readEntries(journal) });
  } finally {
    await Promise.all(members.map(member => member.kill()));
    await Promise.all(members.map(({ proxy }) => proxy?.close()));
  }
}

const readEntries = (file: string): Entry[] =>
  existsSync(file)
    ? readFileSync(file, 'utf8')
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line) as Entry)
    : [];

async function createMember(
  id: string,
  { url, slots, timing = FLEET_TIMING, keepsJournal, hasProxies }: CrewOptions,
  journal: string,
): Promise<Member> {
  const proxy = hasProxies ? await startPausableProxy(url) : undefined;
  const spoolDir = join(tempDir(), 'spool');
  const words = {
    url: proxy?.url ?? url,
    id,
    slots,
    spoolDir,
    timing,
    journal: keepsJournal ? journal : null,
  };
  let child: ChildProcess | undefined;
  return {
    ...{ id, proxy },
    start: async () => {
      const script = resolve(import.meta.dirname, 'worker.mjs');
      child = spawn(process.execPath, [script, JSON.stringify(words)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      await once(child.stdout as NodeJS.ReadableStream, 'data');
    },
    signal: name => void child?.kill(name),
    kill: async () => {
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
  };
}

/** A job that waits; a deaf one does not stop when its claim is lost. */
export const waitingJob = (
  run: string,
  number: number,
  work: { ms?: number; isDeaf?: boolean } = {},
): Job => ({
  key: { run, task: `task-${number}`, attempt: 1 },
  ...{ priority: 0, labels: [], body: JSON.stringify(work) },
});
