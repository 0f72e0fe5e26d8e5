import { appendFile, readFile, stat } from 'node:fs/promises';
import { ignoreMissing } from '../../../domain/error/error.js';
import { replaceFile } from '../../../exec/filesystem/replace-file.js';
import { formatRefusal, type Refusal } from './network-refusal.js';

/**
 * Refused connections of one command, in a file of JSON lines that all commands of a workspace share. An agent can send any
 * number of requests, so repeated refusals are written once, different ones up to a limit, and only the newest part of the
 * file is kept.
 */
export interface RefusalLog {
  add(refusal: Refusal): void;
  /** How many there were, written or not. */
  count(): number;
  /** Waits until everything is written. */
  close(): Promise<void>;
}

/** Maximum number of different refusals written per command. */
const MOST_LINES = 200;

/** Maximum size of the file when a command starts; at 300 bytes a line, some hundred lines of earlier commands. */
const MOST_BYTES = 128 * 1024;

export async function openRefusalLog(file: string): Promise<RefusalLog> {
  await dropOldest(file);
  const seen = new Set<string>();
  let count = 0;
  let written: Promise<void> = Promise.resolve();
  return {
    add: refusal => {
      count += 1;
      const sentence = formatRefusal(refusal);
      if (seen.size >= MOST_LINES || seen.has(sentence)) return;
      seen.add(sentence);
      written = written.then(() => appendLine(file, refusal));
    },
    count: () => count,
    close: () => written,
  };
}

/** A refusal applies even if it can't be logged: the disk may be full. */
async function appendLine(file: string, { at, host, port, reason }: Refusal): Promise<void> {
  const line = JSON.stringify({ at: new Date(at).toISOString(), host, port, reason });
  await appendFile(file, `${line}\n`, { mode: 0o600 }).catch(() => undefined);
}

async function dropOldest(file: string): Promise<void> {
  const found = await stat(file).catch(ignoreMissing);
  if (!found || found.size <= MOST_BYTES) return;
  const text = await readFile(file, 'utf8');
  const kept = text.slice(-MOST_BYTES / 2);
  await replaceFile(file, kept.slice(kept.indexOf('\n') + 1), 0o600);
}
