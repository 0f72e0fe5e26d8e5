import { closeSync, fstatSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { errnoOf } from '../../domain/error/error.js';
import type { ProcessIdentity } from '../../domain/process-identity.js';
import type { LogLine } from '../../domain/task/log-line.js';
import { formatSize } from '../../domain/text/format-quantity.js';
import { createLogTail, type LogTail } from './log-tail.js';
import type { WriterLine } from './writer-line.js';

/** All output and messages of one run of a task, in order. A later run appends. */
export interface TaskLog {
  line(line: Omit<LogLine, 'at'>): void;
  /** Writes what is left. Idempotent. */
  close(): void;
}

export interface TaskLogOptions {
  readonly now: () => number;
  /** Followers wait for more as long as this process lives and has not closed the log. */
  readonly writer: ProcessIdentity;
  /** Called once, with the errno name: a log that cannot be written does not stop the task. */
  readonly onTrouble?: ((problem: string) => void) | undefined;
  /** Removes secrets from a line. */
  readonly redact?: ((text: string) => string) | undefined;
}

export const LOG_LIMITS = {
  /** Bytes of one run that are written immediately; a follower sees no more until the run has ended. */
  written: 32 * 1024 ** 2,
  /** Characters at the end of the run that are kept beyond that. */
  tail: 256 * 1024,
  /** Characters of one line. */
  line: 64 * 1024,
  /** Characters that are buffered before they are written. */
  batch: 64 * 1024,
} as const;

/** How long a line may be buffered. Followers poll about as often. */
const BATCH_MS = 100;

/**
 * Opens the log of a task for appending: JSON Lines, written in batches. Writing is synchronous, so that an agent which
 * prints faster than the disk can write is slowed down instead of filling memory.
 */
export function openTaskLog(
  file: string,
  { now, writer, onTrouble, redact = text => text }: TaskLogOptions,
): TaskLog {
  const appender = openAppender(file, onTrouble);
  const tail = createLogTail<UnencodedLine>(LOG_LIMITS.tail);
  let written = 0;
  const hasRoom = (text: string): boolean => {
    written += Buffer.byteLength(text);
    return written <= LOG_LIMITS.written;
  };
  appender.add(encode({ at: now(), writer }));
  return {
    line: line => {
      const unencoded = { at: now(), ...line, text: cut(redact(line.text)) };
      // Lines beyond the limit are serialized only when they are kept: of a gigabyte hardly any are.
      const text = written > LOG_LIMITS.written ? undefined : encode(unencoded);
      if (text !== undefined && hasRoom(text)) appender.add(text);
      else tail.add(unencoded, unencoded.text.length);
    },
    close: once(() => {
      for (const line of encodeTail(tail, now())) appender.add(line);
      appender.add(encode({ at: now(), writer: null }));
      appender.close();
    }),
  };
}

type UnencodedLine = Omit<LogLine, 'at'> & { readonly at: number };

const encode = (record: UnencodedLine | (WriterLine & { readonly at: number })): string =>
  `${JSON.stringify({ ...record, at: new Date(record.at).toISOString() })}\n`;

function cut(text: string): string {
  if (text.length <= LOG_LIMITS.line) return text;
  const kept = text.slice(0, LOG_LIMITS.line).replace(/[\uD800-\uDBFF]$/, '');
  return `${kept} [${text.length - kept.length} more characters were cut]`;
}

/** The tail, preceded by a line about what is missing. */
function encodeTail(tail: LogTail<UnencodedLine>, at: number): string[] {
  const { lines, left } = tail.take();
  const text = `lines left out here: ${left.lines} (${formatSize(left.size)}); a log is limited to ${formatSize(LOG_LIMITS.written)}`;
  const about: UnencodedLine = { at, stage: null, attempt: 0, stream: 'carrel', text };
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
  let isReported = false;
  const attempt = <T>(action: () => T): T | undefined => {
    try {
      return action();
    } catch (error) {
      if (!isReported) onTrouble?.(errnoOf(error) ?? String(error));
      isReported = true;
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

/** Terminates an incomplete line from a crash or a full disk first, so that it does not corrupt the next one. */
function appendWhole(descriptor: number, batch: string): void {
  const content = Buffer.from(isTorn(descriptor) ? `\n${batch}` : batch);
  for (let at = 0; at < content.length; ) at += writeSync(descriptor, content, at);
}

function isTorn(descriptor: number): boolean {
  const { size } = fstatSync(descriptor);
  const last = Buffer.alloc(1);
  return size > 0 && readSync(descriptor, last, 0, 1, size - 1) === 1 && last.toString() !== '\n';
}
