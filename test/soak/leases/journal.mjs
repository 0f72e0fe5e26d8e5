import { appendFileSync, readFileSync } from 'node:fs';

/**
 * What happened, one JSON line each, appended by all processes to one file. A short write at the end of a file is whole
 * or not there, also when its process is killed, and the order of lines is the order of writing.
 *
 * A hand-out is written after it happened, and its end before that happens: where two of a slot overlap in the journal,
 * they did in truth.
 */
export function createJournal(file) {
  return {
    write: entry => appendFileSync(file, `${JSON.stringify({ ...entry, pid: process.pid })}\n`),
    read: () => readFileSync(file, 'utf8').split('\n').filter(Boolean).map(parse),
  };
}

const parse = line => JSON.parse(line);
