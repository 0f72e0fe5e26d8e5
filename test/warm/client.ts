import { execFileSync, spawn } from 'node:child_process';
import {
  closeSync,
  fstatSync,
  ftruncateSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { ignoreChild } from '../helpers/machine/processes.js';
import type { WarmCall } from './protocol.js';

export interface WarmOutcome {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface WarmProcess {
  readonly requests: number;
  readonly results: number;
  readonly stdout: number;
  readonly stderr: number;
}

/** Starting Node and loading Carrel is most of what a short command takes. This process has one that is ready. */
let warm: WarmProcess | undefined;

/** Runs a call in the warm process and waits for its end. One that is killed on the way is replaced for the next call. */
export function runWarm(call: WarmCall): WarmOutcome {
  warm ??= startWarm();
  const { requests, results, stdout, stderr } = warm;
  ftruncateSync(stdout);
  ftruncateSync(stderr);
  writeWhole(requests, Buffer.from(`${JSON.stringify(call)}\n`));
  const answer = readLine(results);
  const text = { stdout: readWhole(stdout), stderr: readWhole(stderr) };
  if (answer !== '') return { status: Number(answer), signal: null, ...text };
  for (const fd of [requests, results, stdout, stderr]) closeSync(fd);
  warm = undefined;
  return { status: null, signal: 'SIGKILL', ...text };
}

/**
 * The two ways are FIFOs because a pipe of spawn's can't be read while everything else waits. Output goes to files, so
 * that it can be handed over to what a command starts. The process ends when its requests do, with this one.
 */
function startWarm(): WarmProcess {
  const directory = mkdtempSync(join(tmpdir(), 'carrel-warm-'));
  const requests = openFifo(join(directory, 'requests'));
  const results = openFifo(join(directory, 'results'));
  const nothing = openFifo(join(directory, 'nothing'));
  closeSync(nothing.writer);
  const [stdout, stderr] = [openOutput(join(directory, 'stdout')), openOutput(join(directory, 'stderr'))];
  const child = spawn(process.execPath, ['--enable-source-maps', inject('warmProgram')], {
    stdio: [nothing.reader, stdout, stderr, requests.reader, results.writer],
  });
  child.unref();
  ignoreChild(child.pid);
  for (const fd of [nothing.reader, requests.reader, results.writer]) closeSync(fd);
  rmSync(directory, { recursive: true });
  return { requests: requests.writer, results: results.reader, stdout, stderr };
}

function openFifo(path: string): { reader: number; writer: number } {
  execFileSync('mkfifo', [path]);
  // One end alone would wait for the other.
  const both = openSync(path, 'r+');
  const ends = { reader: openSync(path, 'r'), writer: openSync(path, 'w') };
  closeSync(both);
  return ends;
}

const openOutput = (path: string): number => openSync(path, 'a+');

function writeWhole(fd: number, bytes: Buffer): void {
  for (let from = 0; from < bytes.length; ) from += writeSync(fd, bytes, from);
}

/** Empty when the writer is gone. */
function readLine(fd: number): string {
  const chunk = Buffer.alloc(64);
  let line = '';
  while (!line.endsWith('\n')) {
    const length = readSync(fd, chunk);
    if (length === 0) return '';
    line += chunk.toString('latin1', 0, length);
  }
  return line.trimEnd();
}

const readWhole = (fd: number): string => {
  const bytes = Buffer.alloc(fstatSync(fd).size);
  readSync(fd, bytes, 0, bytes.length, 0);
  return bytes.toString('utf8');
};
