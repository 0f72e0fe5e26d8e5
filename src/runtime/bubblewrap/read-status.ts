import { fstatSync, readSync } from 'node:fs';

/** What bubblewrap wrote to its --json-status-fd. */
export interface BubblewrapStatus {
  /** The first process inside, as seen on the host: when it exits, everything inside is dead. */
  readonly firstPid: number | undefined;
  /** Present only when the command was really started inside: the proof that the sandbox worked. */
  readonly exitCode: number | undefined;
}

/**
 * One JSON object per line, several in later versions. Read at fixed offsets, because the writer shares our file
 * position.
 */
export function readStatus(descriptor: number): BubblewrapStatus {
  const buffer = Buffer.alloc(fstatSync(descriptor).size);
  readSync(descriptor, buffer, 0, buffer.length, 0);
  const facts = Object.assign({}, ...buffer.toString('utf8').split('\n').map(parseLine));
  return { firstPid: numberOf(facts['child-pid']), exitCode: numberOf(facts['exit-code']) };
}

/** A bubblewrap that was killed while writing leaves an incomplete line. */
function parseLine(line: string): Record<string, unknown> {
  try {
    return JSON.parse(line || '{}');
  } catch {
    return {};
  }
}

const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);
