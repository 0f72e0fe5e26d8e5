import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { formatSize } from '../../domain/text/format-quantity.js';

/** Plain text, line by line, for human readers. */
export interface AttemptLog {
  line(stream: string, text: string): void;
  close(): void;
}

const MOST_BYTES = 16 * 1024 ** 2;
const BATCH_CHARACTERS = 32 * 1024;
const MOST_LINE_CHARACTERS = 16 * 1024;

/** Starts a new log, without the secrets that `redact` removes. Output beyond the limit is counted, not kept. Throws when the disk is full. */
export function openAttemptLog(file: string, redact: (text: string) => string): AttemptLog {
  mkdirSync(dirname(file), { recursive: true });
  // A new file: a process that lost the run may still write to the old one.
  rmSync(file, { force: true });
  const descriptor = openSync(file, 'w', 0o600);
  let [waiting, written, dropped] = ['', 0, 0];
  const flush = () => {
    if (waiting !== '') writeSync(descriptor, waiting);
    waiting = '';
  };
  return {
    line: (stream, text) => {
      const line = `${stream === 'stdout' ? '' : `[${stream}] `}${redact(text).slice(0, MOST_LINE_CHARACTERS)}\n`;
      if (written > MOST_BYTES) {
        dropped += line.length;
        return;
      }
      written += line.length;
      waiting += line;
      if (waiting.length > BATCH_CHARACTERS) flush();
    },
    close: () => {
      if (dropped > 0) waiting += `[carrel] dropped about ${formatSize(dropped)} of further output\n`;
      try {
        flush();
      } finally {
        closeSync(descriptor);
      }
    },
  };
}
