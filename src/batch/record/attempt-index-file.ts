import { type FileHandle, open, readFile, stat } from 'node:fs/promises';
import { addUsage, NO_USAGE } from '../../domain/agent/add-usage.js';
import type { Usage } from '../../domain/agent/usage.js';
import type { Attempt } from '../../domain/batch/attempt.js';
import { ignoreMissing } from '../../domain/error/error.js';

/** The attempts of a run, one per line. A line is durable once `append` has returned. */
export interface IndexFile {
  append(attempt: Attempt): Promise<void>;
  close(): Promise<void>;
}

const LINE_END = 0x0a;

/** Opens it for appending; an incomplete last line from a crash is removed first. */
export async function openIndexFile(file: string): Promise<IndexFile> {
  let handle = await openForAppending(file);
  let last: Promise<unknown> = Promise.resolve();
  return {
    append: attempt => {
      const next = last.then(async () => {
        if (!(await isSameFile(handle, file))) {
          await handle.close();
          handle = await openForAppending(file);
        }
        const { size } = await handle.stat();
        try {
          await handle.appendFile(`${JSON.stringify(attempt)}\n`);
          await handle.datasync();
        } catch (error) {
          // An incomplete line would corrupt the next one.
          await handle.truncate(size);
          throw error;
        }
      });
      last = next.catch(() => undefined);
      return next;
    },
    close: async () => {
      await last;
      await handle.close();
    },
  };
}

async function openForAppending(file: string): Promise<FileHandle> {
  const handle = await open(file, 'a+', 0o600);
  await dropHalfLine(handle);
  return handle;
}

/** An editor or a sync tool may replace the file: appending to the old one would be lost. */
async function isSameFile(handle: FileHandle, file: string): Promise<boolean> {
  const [own, found] = await Promise.all([handle.stat(), stat(file).catch(ignoreMissing)]);
  return found !== undefined && own.ino === found.ino && own.dev === found.dev;
}

async function dropHalfLine(handle: FileHandle): Promise<void> {
  const { size } = await handle.stat();
  const piece = Buffer.alloc(64 * 1024);
  for (let end = size; end > 0; ) {
    const from = Math.max(0, end - piece.length);
    const { bytesRead } = await handle.read(piece, 0, end - from, from);
    const at = piece.subarray(0, bytesRead).lastIndexOf(LINE_END);
    if (at >= 0) return handle.truncate(from + at + 1);
    end = from;
  }
  await handle.truncate(0);
}

/** The current attempts: the last line of each task and number counts. */
export const latestOf = (lines: readonly Attempt[]): Attempt[] => [
  ...new Map(lines.map(each => [keyOf(each), each])).values(),
];

export const keyOf = ({ taskId, attempt }: Pick<Attempt, 'taskId' | 'attempt'>): string =>
  `${taskId} ${attempt}`;

/** What all attempts have used, including repeated ones. Regraded work has two lines and counts once. */
export function sumUsage(lines: readonly Attempt[]): Usage {
  const works = new Map(lines.map(each => [`${each.taskId} ${each.attempt} ${each.startedAt}`, each]));
  return [...works.values()].reduce((sum, { usage }) => addUsage(sum, usage), NO_USAGE);
}

/** All lines, oldest first; invalid lines are skipped. */
export async function readIndexFile(file: string): Promise<Attempt[]> {
  const text = (await readFile(file, 'utf8').catch(ignoreMissing)) ?? '';
  return text.split('\n').flatMap(line => parseLine(line) ?? []);
}

export function parseLine(line: string): Attempt | undefined {
  try {
    const value = JSON.parse(line) as Partial<Attempt> | null;
    return typeof value?.taskId === 'string' && typeof value.attempt === 'number'
      ? (value as Attempt)
      : undefined;
  } catch {
    return undefined;
  }
}
