import { realpathSync } from 'node:fs';
import { join, normalize, relative } from 'node:path';
import { readPinnedBytes } from '../../attempt/handoff/pinned-bytes.js';
import { errnoOf, isCarrelError, isMissing } from '../../domain/error/error.js';
import { formatSize } from '../../domain/text/format-quantity.js';
import type { Expectation, ValidationResult } from '../../domain/workflow/validation.js';
import { toBytePath } from '../../git/byte-path.js';
import { createPinner } from '../../git/files/pinned-file.js';
import { statEntry } from '../../git/files/read-directory.js';
import { findPattern } from '../../operations/task/find-pattern.js';

export type FileExpectation = Exclude<Expectation, { run: string }>;

export type Finding = Pick<ValidationResult, 'passed' | 'detail'>;

const MOST_BYTES = 16 * 1024 ** 2;

/**
 * Checks an expectation about a file of the workspace. An expectation about a missing file is a mistake in one or
 * the other, so it fails, `file-not-contains` too: "no TODO in src/a.ts" is not met by an agent that has moved src/a.ts.
 *
 * The files are read on the host, also those of a sandbox, whose agent may have put a link in the place of anything:
 * links are resolved without opening their targets, targets outside are refused, and the opened file is certain to
 * be at the expected path (see pinned-file.ts).
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
    return fail('the pattern takes too long for this file; use one with fewer repetitions');
  const isWanted = expectation.kind === 'file-contains';
  if ((found !== undefined) === isWanted) return PASSED;
  return fail(found === undefined ? 'it is not in the file' : `it is on line ${found}`);
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
      return { problem: stats?.isDirectory() ? 'it is a directory' : 'it is not a regular file' };
    if (kind === 'file-exists') return { content: Buffer.alloc(0) };
    if (stats.size > MOST_BYTES)
      return {
        problem: `it is too large: ${formatSize(stats.size)}; expected at most ${formatSize(MOST_BYTES)}`,
      };
    const content = readPinnedBytes(createPinner(root)(toBytePath(inside)), MOST_BYTES);
    return content ? { content } : { problem: 'it was replaced while it was being read' };
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
  if (isMissing(error)) return 'it does not exist';
  if (errnoOf(error) === 'ELOOP') return 'it is a link to itself';
  if (errnoOf(error) !== undefined) return `cannot read it (${errnoOf(error)})`;
  if (isCarrelError(error, 'FILE_UNREADABLE')) return `cannot read it (${error.details.problem})`;
  throw error;
}

/** The number of the first line that matches. */
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
