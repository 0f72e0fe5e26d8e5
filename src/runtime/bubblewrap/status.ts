import { fstatSync, readSync } from 'node:fs';

/** What bubblewrap wrote to its --json-status-fd. */
export interface BubblewrapStatus {
  /** The first process inside, as seen on the host: with its end everything inside is dead. */
  readonly firstPid: number | undefined;
  /** Only there when the command was really started inside: the proof that the sandbox stood. */
  readonly exitCode: number | undefined;
}

/** One JSON object in a line, and more of them in later versions. Read at fixed places, as the writer shares ours. */
export function readStatus(descriptor: number): BubblewrapStatus {
  const buffer = Buffer.alloc(fstatSync(descriptor).size);
  readSync(descriptor, buffer, 0, buffer.length, 0);
  const facts = Object.assign({}, ...buffer.toString('utf8').split('\n').map(parseLine));
  return { firstPid: numberOf(facts['child-pid']), exitCode: numberOf(facts['exit-code']) };
}

/** A bubblewrap that was killed while it wrote leaves half a line. */
function parseLine(line: string): Record<string, unknown> {
  try {
    return JSON.parse(line || '{}');
  } catch {
    return {};
  }
}

const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);
