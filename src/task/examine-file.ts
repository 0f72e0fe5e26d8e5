import { realpathSync } from 'node:fs';
import { join, normalize, relative } from 'node:path';
import { errnoOf, isCarrelError, isMissing } from '../domain/error.js';
import { formatSize } from '../domain/quantity.js';
import type { Expectation, ValidationResult } from '../domain/validation.js';
import { toBytePath } from '../git/byte-path.js';
import { createPinner } from '../git/work-tree/pinned-file.js';
import { statEntry } from '../git/work-tree/read-directory.js';
import { findPattern } from '../operations/find-pattern.js';
import { readPinnedBytes } from './pinned-bytes.js';

export type FileExpectation = Exclude<Expectation, { run: string }>;

export type Finding = Pick<ValidationResult, 'passed' | 'detail'>;

const MOST_BYTES = 16 * 1024 ** 2;

/**
 * Whether a file of the workspace is as expected. An expectation about a file that is not there is a mistake in one or
 * the other, so it fails, `file-not-contains` too: "no TODO in src/a.ts" is not met by an agent that has moved src/a.ts.
 *
 * The files are read on the host, also those of a sandbox, whose agent may have put a link in the place of anything:
 * links are resolved without opening what they lead to, what lies outside is refused, and what is opened is certain to
 * lie where it was looked for (see pinned-file.ts).
 */
export async function examineFile(
  root: string,
  expectation: FileExpectation,
  signal: AbortSignal | undefined,
): Promise<Finding> {
  const file = readFile(root, expectation);
  if ('problem' in file) return fail(file.problem);
  if (expectation.kind === 'file-exists') return PASSED;
  const found = await search(file.content, expectation, signal);
  if (found === 'gave-up')
    return fail('the pattern takes too long for this file; write one that repeats less');
  const isWanted = expectation.kind === 'file-contains';
  if ((found !== undefined) === isWanted) return PASSED;
  return fail(found === undefined ? 'it is not in the file' : `it is in line ${found}`);
}

const PASSED: Finding = { passed: true, detail: null };
const fail = (detail: string): Finding => ({ passed: false, detail });

type FoundFile = { readonly content: Buffer } | { readonly problem: string };

function readFile(root: string, { kind, path }: FileExpectation): FoundFile {
  try {
    const inside = resolveInside(root, path);
    if (inside === undefined) return { problem: 'it leads out of the workspace' };
    const stats = statEntry(root, toBytePath(inside));
    if (!stats?.isFile())
      return { problem: stats?.isDirectory() ? 'it is a directory' : 'it is no regular file' };
    if (kind === 'file-exists') return { content: Buffer.alloc(0) };
    if (stats.size > MOST_BYTES)
      return {
        problem: `it has ${formatSize(stats.size)}; at most ${formatSize(MOST_BYTES)} are looked through`,
      };
    const content = readPinnedBytes(createPinner(root)(toBytePath(inside)), MOST_BYTES);
    return content ? { content } : { problem: 'it was replaced while it was looked at' };
  } catch (error) {
    return { problem: explain(error) };
  }
}

/** The path with its links resolved, relative to the workspace; undefined when it is not in it. */
function resolveInside(root: string, path: string): string | undefined {
  const inside = relative(realpathSync(root), realpathSync(join(root, normalize(path))));
  return inside === '..' || inside.startsWith('../') ? undefined : inside;
}

function explain(error: unknown): string {
  if (isMissing(error)) return 'it is not there';
  if (errnoOf(error) === 'ELOOP') return 'it is a link to itself';
  if (errnoOf(error) !== undefined) return `it can't be read (${errnoOf(error)})`;
  if (isCarrelError(error, 'FILE_UNREADABLE')) return `it can't be read (${error.details.problem})`;
  throw error;
}

/** The number of the first line that has it. */
async function search(
  content: Buffer,
  expectation: Extract<FileExpectation, { kind: 'file-contains' | 'file-not-contains' }>,
  signal: AbortSignal | undefined,
): Promise<number | undefined | 'gave-up'> {
  const { text, pattern } = expectation;
  if (pattern !== undefined) return findPattern(content.toString('utf8'), pattern, signal);
  const at = text === undefined ? -1 : content.indexOf(text, 0, 'utf8');
  return at === -1 ? undefined : countLines(content.subarray(0, at));
}

const LINE_BREAK = 0x0a;

function countLines(before: Buffer): number {
  let line = 1;
  for (const byte of before) if (byte === LINE_BREAK) line++;
  return line;
}
