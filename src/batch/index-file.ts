import { type FileHandle, open, readFile } from 'node:fs/promises';
import { addUsage, NO_USAGE } from '../domain/add-usage.js';
import type { Attempt } from '../domain/attempt.js';
import { ignoreMissing } from '../domain/error.js';
import type { Usage } from '../domain/usage.js';

/** The attempts of a run, one to the line. A line is there for good once `append` has returned. */
export interface IndexFile {
  append(attempt: Attempt): Promise<void>;
  close(): Promise<void>;
}

const LINE_END = 0x0a;

/** Opens it for appending; what a crash has left of a last line is taken away first. */
export async function openIndexFile(file: string): Promise<IndexFile> {
  const handle = await open(file, 'a+', 0o600);
  await dropHalfLine(handle);
  let last: Promise<unknown> = Promise.resolve();
  return {
    append: attempt => {
      const next = last.then(async () => {
        const { size } = await handle.stat();
        try {
          await handle.appendFile(`${JSON.stringify(attempt)}\n`);
          await handle.datasync();
        } catch (error) {
          // Half a line would spoil the next one.
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

/** The attempts as they are now: of each task and number the last line counts; what is no line is left out. */
export async function readIndexFile(file: string): Promise<Attempt[]> {
  const lines = await readLines(file);
  return [...new Map(lines.map(each => [`${each.taskId} ${each.attempt}`, each])).values()];
}

/** What all attempts have used, those that were made again included. Work that was judged again is told of twice. */
export async function readUsage(file: string): Promise<Usage> {
  const lines = await readLines(file);
  const works = new Map(lines.map(each => [`${each.taskId} ${each.attempt} ${each.startedAt}`, each]));
  return [...works.values()].reduce((sum, { usage }) => addUsage(sum, usage), NO_USAGE);
}

async function readLines(file: string): Promise<Attempt[]> {
  const text = (await readFile(file, 'utf8').catch(ignoreMissing)) ?? '';
  return text.split('\n').flatMap(line => parseLine(line) ?? []);
}

function parseLine(line: string): Attempt | undefined {
  try {
    const value = JSON.parse(line) as Partial<Attempt> | null;
    return typeof value?.taskId === 'string' && typeof value.attempt === 'number'
      ? (value as Attempt)
      : undefined;
  } catch {
    return undefined;
  }
}
