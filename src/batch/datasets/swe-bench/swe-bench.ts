import { createReadStream } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { type EvalItem, EvalItemSchema, type Grader } from '../../../domain/batch/eval-item.js';
import { carrelError } from '../../../domain/error/error.js';
import type { BrokenItem, Dataset } from '../dataset.js';
import { type SweBenchRow, SweBenchRowSchema } from './swe-bench-row.js';
import { chooseTestCommand, listTouchedFiles, type TestCommand } from './swe-bench-tests.js';

/** Rows of SWE-bench and of datasets with the same fields, one JSON object per line. */
export async function loadSweBench(file: string): Promise<Dataset> {
  const items: EvalItem[] = [];
  const broken: BrokenItem[] = [];
  let line = 0;
  for await (const text of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    line++;
    if (text.trim() === '') continue;
    const reading = readRow(text, file, line);
    if ('item' in reading) items.push(reading.item);
    else broken.push(reading);
  }
  if (items.length + broken.length === 0)
    throw carrelError('DATASET_INVALID', { file, problem: 'it is empty; expected one row per line' });
  return { name: '', format: 'swe-bench', items, broken };
}

function readRow(text: string, file: string, line: number): { readonly item: EvalItem } | BrokenItem {
  const value = parseJson(text);
  const named = (value as { instance_id?: unknown } | undefined)?.instance_id;
  const id = typeof named === 'string' ? named : `line ${line}`;
  const fail = (problem: string): BrokenItem => ({ id, reason: `${file}:${line}: ${problem}` });
  if (value === undefined) return fail('it is not JSON');
  const row = SweBenchRowSchema.safeParse(value);
  if (!row.success) return fail(describeIssue(row.error.issues[0]));
  const item = toItem(row.data, dirname(file));
  if (typeof item === 'string') return fail(item);
  const checked = EvalItemSchema.safeParse(item);
  return checked.success ? { item } : fail(describeIssue(checked.error.issues[0]));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const describeIssue = (issue?: { readonly path: readonly PropertyKey[]; readonly message: string }): string =>
  `${issue?.path.join('.') || 'the row'}: ${issue?.message}`;

/** The item, or why the row has none. */
function toItem(row: SweBenchRow, home: string): EvalItem | string {
  const tests = chooseTestCommand(row);
  if (typeof tests === 'string') return tests;
  const image = row.docker_image ?? row.image_name ?? row.image;
  return {
    id: row.instance_id,
    description: row.problem_statement,
    base: { kind: 'git', url: urlOf(row, home), commit: row.base_commit },
    ...(row.language !== undefined && { language: row.language }),
    tags: [row.repo.replace('/', '__'), ...(row.version === undefined ? [] : [`version-${row.version}`])],
    ...(row.setup.length > 0 && { setup: row.setup }),
    ...(image !== undefined && { image }),
    ...(row.patch !== '' && { solution: { kind: 'patch', patch: withEnd(row.patch) } as const }),
    ...(row.test_patch !== '' && { hiddenPatch: withEnd(row.test_patch) }),
    ...(tests.requires.length > 0 && { requires: tests.requires }),
    protect: listTouchedFiles(row.test_patch),
    graders: [toGrader(row, tests)],
  };
}

const toGrader = (row: SweBenchRow, { run, parser }: TestCommand) =>
  ({
    kind: 'tests',
    run,
    parser,
    failToPass: row.FAIL_TO_PASS,
    passToPass: row.PASS_TO_PASS,
    timeout: '30m',
  }) satisfies Grader;

/** `owner/name` is on GitHub, unless the row names another place. */
function urlOf({ repo, repo_url: url, repo_path: path }: SweBenchRow, home: string): string {
  if (path !== undefined) return resolve(home, path);
  return url ?? `https://github.com/${repo}.git`;
}

/** `git apply` rejects a patch whose last line has no newline. */
const withEnd = (patch: string): string => (patch.endsWith('\n') ? patch : `${patch}\n`);
