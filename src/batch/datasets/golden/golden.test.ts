import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { sampleOf } from '../../../../test/helpers/flavours.js';
import { tempDir } from '../../../../test/helpers/temp.js';
import { needProgram } from '../../../../test/parts/required-part.js';
import { type EvalItem, EvalItemSchema } from '../../../domain/batch/eval-item.js';
import { mapAtOnce } from '../../../workspace/work/map-at-once.js';
import { golden } from './golden.js';

type Files = Readonly<Record<string, string>>;

test('the set has what it promises: 15 tasks or more in four languages, among them the three quick ones', () => {
  const ids = golden.items.map(item => item.id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.length).toBeGreaterThanOrEqual(15);
  expect(ids).toEqual(expect.arrayContaining(['fix-typo-001', 'fix-import-001', 'fix-type-error-001']));
  const languages = new Set(golden.items.map(item => item.language));
  expect([...languages].sort()).toEqual(['javascript', 'python', 'shell', 'typescript']);
  for (const item of golden.items) expect(EvalItemSchema.parse(item)).toEqual(item);
});

const LANGUAGES = ['javascript', 'typescript', 'shell', 'python'];

test.each(sampleOf(LANGUAGES, 'typescript'))(
  'hidden %s tests fail on the base exactly where they should, and pass with the solution',
  async language => {
    if (language === 'python') needProgram('python3');
    const items = golden.items.filter(item => item.language === language);
    const found = await mapAtOnce(items, 4, async item => {
      const { base, solution, hidden = {} } = item;
      if (base.kind !== 'files' || solution?.kind !== 'files') throw new Error('golden tasks are files');
      const before = await runGrader(item, { ...base.files, ...hidden });
      const after = await runGrader(item, { ...base.files, ...solution.files, ...hidden });
      return { id: item.id, before, after };
    });
    expect(found).toEqual(items.map(expectationOf));
  },
);

test.each([
  ['fix-typo-001', 'src/greet.js', 'process.exit(0);'],
  ['fix-type-error-001', 'src/invoice.ts', 'this is no program'],
  ['py-split-bill-001', 'bill.py', 'import os\nos._exit(127)'],
])('%s: code that can not be loaded or exits early has failed the tests', async (id, file, content) => {
  if (id.startsWith('py-')) needProgram('python3');
  const item = golden.items.find(candidate => candidate.id === id) as EvalItem;
  if (item.base.kind !== 'files') throw new Error('golden tasks are files');
  const files = { ...item.base.files, [file]: content, ...item.hidden };
  expect(await runGrader(item, files)).toEqual(resultsOf(['reported'], []));
});

function expectationOf(item: EvalItem) {
  const { failToPass = [], passToPass = [] } = testsOf(item);
  return {
    id: item.id,
    before: resultsOf(failToPass, passToPass),
    after: resultsOf([], [...failToPass, ...passToPass]),
  };
}

function testsOf(item: EvalItem) {
  const [grader] = item.graders;
  if (grader?.kind !== 'tests') throw new Error('golden tasks are graded by tests');
  return grader;
}

const TYPESCRIPT = golden.items.filter(item => item.language === 'typescript');

test.each(TYPESCRIPT)('an agent can run the tests that it sees of $id', async item => {
  if (item.base.kind !== 'files') throw new Error('golden tasks are files');
  const directory = place(item.base.files);
  const command = JSON.parse(item.base.files['package.json'] ?? '').scripts.test as string;
  expect(await run(command, directory)).toBe(0);
});

const resultsOf = (failed: readonly string[], passed: readonly string[]) => ({
  failed: [...failed].sort(),
  passed: [...passed].sort(),
});

/** What the report says, read as simply as can be: parsers have tests of their own. */
async function runGrader(item: EvalItem, files: Files) {
  const grader = testsOf(item);
  const directory = place(files);
  await run(grader.run, directory);
  const report = readFileSync(join(directory, grader.report ?? ''), 'utf8');
  const cases = [
    ...report.matchAll(
      /<testcase(?: classname="\w*")? name="([^"]*)"(?: \w+="[^"]*")*(?:\/>|>\s*(<failure)?)/g,
    ),
  ];
  const namesOf = (wanted: boolean) =>
    cases.filter(([, , failure]) => (failure === undefined) === wanted).map(([, name = '']) => name);
  return resultsOf(namesOf(false), namesOf(true));
}

function place(files: Files): string {
  const directory = tempDir();
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), content);
  }
  return directory;
}

async function run(command: string, cwd: string): Promise<number | null> {
  const child = spawn('sh', ['-c', command], { cwd, stdio: 'ignore' });
  const [status] = await once(child, 'exit');
  return status as number | null;
}
