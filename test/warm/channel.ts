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
import { ignoreChild } from '../helpers/machine/processes.js';

export interface Answer {
  /** One line, empty when the process is gone. */
  readonly line: string;
  readonly stdout: string;
  readonly stderr: string;
}

/** A process that is kept from test to test and does one thing after the other, while this one waits. */
export interface Channel {
  ask(request: string): Answer;
  close(): void;
}

/**
 * The two ways are FIFOs because a pipe of spawn's can't be read while everything else waits. Output goes to files, so
 * that it can be handed over to what a process starts. The process ends when its requests do, with this one.
 */
export function openChannel(program: string, args: readonly string[], env = process.env): Channel {
  const directory = mkdtempSync(join(tmpdir(), 'carrel-warm-'));
  const requests = openFifo(join(directory, 'requests'));
  const results = openFifo(join(directory, 'results'));
  const nothing = openFifo(join(directory, 'nothing'));
  closeSync(nothing.writer);
  const [stdout, stderr] = [
    openSync(join(directory, 'stdout'), 'a+'),
    openSync(join(directory, 'stderr'), 'a+'),
  ];
  const stdio = [nothing.reader, stdout, stderr, requests.reader, results.writer];
  const child = spawn(program, args, { env, stdio });
  child.unref();
  ignoreChild(child.pid);
  for (const fd of [nothing.reader, requests.reader, results.writer]) closeSync(fd);
  rmSync(directory, { recursive: true });
  return {
    ask: request => {
      ftruncateSync(stdout);
      ftruncateSync(stderr);
      writeWhole(requests.writer, Buffer.from(request));
      const line = readLine(results.reader);
      return { line, stdout: readWhole(stdout), stderr: readWhole(stderr) };
    },
    close: () => {
      for (const fd of [requests.writer, results.reader, stdout, stderr]) closeSync(fd);
    },
  };
}

function openFifo(path: string): { reader: number; writer: number } {
  execFileSync('mkfifo', [path]);
  // One end alone would wait for the other.
  const both = openSync(path, 'r+');
  const ends = { reader: openSync(path, 'r'), writer: openSync(path, 'w') };
  closeSync(both);
  return ends;
}

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
