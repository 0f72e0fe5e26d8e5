import { closeSync, fstatSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { errnoOf } from '../domain/error.js';
import type { LogLine } from '../domain/log-line.js';
import type { ProcessIdentity } from '../domain/process-identity.js';
import { formatSize } from '../domain/quantity.js';
import { createLogTail, type LogTail } from './log-tail.js';
import type { WriterLine } from './writer-line.js';

/** Everything that is printed and told during one run of a task, in order. A run that follows another appends. */
export interface TaskLog {
  line(line: Omit<LogLine, 'at'>): void;
  /** Writes what is left. Idempotent. */
  close(): void;
}

export interface TaskLogOptions {
  readonly now: () => number;
  /** Whoever follows the log waits for more as long as this process lives and has not closed it. */
  readonly writer: ProcessIdentity;
  /** Told once, with the errno name: a log that can't be written does not end the task. */
  readonly onTrouble?: ((problem: string) => void) | undefined;
}

export const LOG_LIMITS = {
  /** Bytes of one run that are written as they come; a reader who follows sees no more until the run has ended. */
  written: 32 * 1024 ** 2,
  /** Characters at the end of the run that are kept beyond that. */
  tail: 256 * 1024,
  /** Characters of one line. */
  line: 64 * 1024,
  /** Characters that are gathered before they are written. */
  batch: 64 * 1024,
} as const;

/** How long a line may wait for others. Whoever follows looks about as often. */
const BATCH_MS = 100;

/**
 * Opens the log of a task for appending: JSON Lines, written in batches. Writing is synchronous, so that an agent which
 * prints faster than the disk takes it is slowed down instead of filling our memory.
 */
export function openTaskLog(file: string, { now, writer, onTrouble }: TaskLogOptions): TaskLog {
  const appender = openAppender(file, onTrouble);
  const tail = createLogTail<Told>(LOG_LIMITS.tail);
  let written = 0;
  const hasRoom = (text: string): boolean => {
    written += Buffer.byteLength(text);
    return written <= LOG_LIMITS.written;
  };
  appender.add(encode({ at: now(), writer }));
  return {
    line: line => {
      const told = { at: now(), ...line, text: cut(line.text) };
      // Lines beyond the limit are turned into text when it is known that they stay: of a gigabyte hardly any does.
      const text = written > LOG_LIMITS.written ? undefined : encode(told);
      if (text !== undefined && hasRoom(text)) appender.add(text);
      else tail.add(told, told.text.length);
    },
    close: once(() => {
      for (const line of encodeTail(tail, now())) appender.add(line);
      appender.add(encode({ at: now(), writer: null }));
      appender.close();
    }),
  };
}

type Told = Omit<LogLine, 'at'> & { readonly at: number };

const encode = (record: Told | (WriterLine & { readonly at: number })): string =>
  `${JSON.stringify({ ...record, at: new Date(record.at).toISOString() })}\n`;

function cut(text: string): string {
  if (text.length <= LOG_LIMITS.line) return text;
  const kept = text.slice(0, LOG_LIMITS.line).replace(/[\uD800-\uDBFF]$/, '');
  return `${kept} [${text.length - kept.length} more characters were cut]`;
}

/** The tail with a line before it that says what is missing. */
function encodeTail(tail: LogTail<Told>, at: number): string[] {
  const { lines, left } = tail.take();
  const text = `${left.lines} line(s) with ${formatSize(left.size)} were left out here: a log is limited to ${formatSize(LOG_LIMITS.written)}`;
  const about: Told = { at, stage: null, attempt: 0, stream: 'carrel', text };
  return (left.lines === 0 ? lines : [about, ...lines]).map(encode);
}

function once(action: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) action();
    isDone = true;
  };
}

interface Appender {
  add(line: string): void;
  close(): void;
}

function openAppender(file: string, onTrouble: TaskLogOptions['onTrouble']): Appender {
  let waiting: string[] = [];
  let waitingLength = 0;
  let timer: NodeJS.Timeout | undefined;
  let isTold = false;
  const attempt = <T>(action: () => T): T | undefined => {
    try {
      return action();
    } catch (error) {
      if (!isTold) onTrouble?.(errnoOf(error) ?? String(error));
      isTold = true;
      return undefined;
    }
  };
  let descriptor = attempt(() => openForAppending(file));
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const batch = waiting.join('');
    waiting = [];
    waitingLength = 0;
    if (descriptor !== undefined && batch !== '') attempt(() => appendWhole(descriptor as number, batch));
  };
  return {
    add(line) {
      waiting.push(line);
      waitingLength += line.length;
      if (waitingLength >= LOG_LIMITS.batch) flush();
      else timer ??= setTimeout(flush, BATCH_MS).unref();
    },
    close() {
      flush();
      if (descriptor !== undefined) closeSync(descriptor);
      descriptor = undefined;
    },
  };
}

function openForAppending(file: string): number {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  return openSync(file, 'a+', 0o600);
}

/** A line that a crash or a full disk has cut off is ended first, so that it takes no other with it. */
function appendWhole(descriptor: number, batch: string): void {
  const content = Buffer.from(isTorn(descriptor) ? `\n${batch}` : batch);
  for (let at = 0; at < content.length; ) at += writeSync(descriptor, content, at);
}

function isTorn(descriptor: number): boolean {
  const { size } = fstatSync(descriptor);
  const last = Buffer.alloc(1);
  return size > 0 && readSync(descriptor, last, 0, 1, size - 1) === 1 && last.toString() !== '\n';
}
