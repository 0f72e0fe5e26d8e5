import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { formatSize } from '../domain/quantity.js';

/** Plain text, line by line, for people. */
export interface AttemptLog {
  line(stream: string, text: string): void;
  close(): void;
}

const MOST_BYTES = 16 * 1024 ** 2;
const BATCH_CHARACTERS = 32 * 1024;
const MOST_LINE_CHARACTERS = 16 * 1024;

/** Begins a log anew. What is beyond the limit is counted, not kept. A full disk is told to the caller by the throw. */
export function openAttemptLog(file: string): AttemptLog {
  mkdirSync(dirname(file), { recursive: true });
  const descriptor = openSync(file, 'w', 0o600);
  let [waiting, written, dropped] = ['', 0, 0];
  const flush = () => {
    if (waiting !== '') writeSync(descriptor, waiting);
    waiting = '';
  };
  return {
    line: (stream, text) => {
      const line = `${stream === 'stdout' ? '' : `[${stream}] `}${text.slice(0, MOST_LINE_CHARACTERS)}\n`;
      if (written > MOST_BYTES) {
        dropped += line.length;
        return;
      }
      written += line.length;
      waiting += line;
      if (waiting.length > BATCH_CHARACTERS) flush();
    },
    close: () => {
      if (dropped > 0)
        waiting += `[carrel] about ${formatSize(dropped)} more were printed and are not kept\n`;
      try {
        flush();
      } finally {
        closeSync(descriptor);
      }
    },
  };
}
