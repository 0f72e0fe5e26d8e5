import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../../test/helpers/temp.js';
import { needProgram } from '../../../../test/parts/required-part.js';
import type { EvalItem } from '../../../domain/batch/eval-item.js';
import { loadDataset } from '../load-dataset.js';

type Files = Readonly<Record<string, string>>;

function place(files: Files, directory = tempDir()): string {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), content);
  }
  return directory;
}

const under = (directory: string, files: Files): Files =>
  Object.fromEntries(Object.entries(files).map(([path, content]) => [`${directory}/${path}`, content]));

/** A task in the public format, whose scripts name directories of its container. */
const HARBOR: Files = {
  'task.toml': `
schema_version = "1.1"

[task]
name = "acme/hello"
keywords = ["files"]

[metadata]
difficulty = "easy"   # for people
tags = [
  "trivial",
]

[verifier]
timeout_sec = 90.5
env = { GREETING = "it's here" }

[agent]
timeout_sec = 120.0

[environment]
build_timeout_sec = 600.0
`,
  'instruction.md': 'Create /app/hello.txt with the text of /app/data/word.txt.\n',
  'environment/Dockerfile': 'FROM debian:12\nWORKDIR /app\nCOPY data/ /app/data/\nENV MODE=test\n',
  'environment/data/word.txt': 'Hello\n',
  'tests/test.sh': `#!/bin/bash
if bash /tests/check.sh "/app/hello.txt" && [ "$GREETING" = "it's here" ]; then
  echo 1 > /logs/verifier/reward.txt
else
  echo 0 > /logs/verifier/reward.txt
fi
`,
  'tests/check.sh': 'cmp "$1" /app/data/word.txt\n',
  'solution/solve.sh': '#!/bin/bash\nbash /solution/copy.sh > /app/hello.txt\n',
  'solution/copy.sh': 'cat /app/data/word.txt',
};

test('reads a Harbor task; its solution earns the reward and no changes earn none', async () => {
  needProgram('bash');
  const cwd = place(under('set/hello', HARBOR));
  const { name, format, items, broken } = await loadDataset({ cwd }, 'set');
  expect({ name, format, broken }).toEqual({ name: 'set', format: 'harbor', broken: [] });
  const [item] = items as [EvalItem];
  expect(item).toMatchObject({
    id: 'hello',
    base: { kind: 'files', files: { 'data/word.txt': 'Hello\n' } },
    difficulty: 'easy',
    tags: ['trivial', 'files'],
    timeout: '120s',
    environment: { MODE: 'test' },
    graders: [{ kind: 'reward', file: '.harbor/reward', timeout: '91s' }],
  });
  expect(item.description).toMatch(
    /^Create \/app\/hello\.txt .*\n\n\(Your working directory is called \/app/,
  );
  expect(runItem(item, { solved: true })).toMatchObject({ status: 0, reward: '1\n' });
  expect(runItem(item, { solved: false })).toMatchObject({ reward: '0\n' });
});

test('the solution of a task leaves only its work behind', async () => {
  needProgram('bash');
  const cwd = place(under('hello', HARBOR));
  const [item] = (await loadDataset({ cwd }, 'hello')).items as [EvalItem];
  const directory = solve(item, place({ 'data/word.txt': 'Hello\n' }));
  expect(readdirSync(directory).sort()).toEqual(['data', 'hello.txt']);
});

test('lists Harbor tasks that cannot run with the reason', async () => {
  const variant = (id: string, change: Files, without: readonly string[] = []): Files =>
    under(
      `set/${id}`,
      Object.fromEntries(
        Object.entries({ ...HARBOR, ...change }).filter(([path]) => !without.includes(path)),
      ),
    );
  const dockerfile = (lines: string): Files => ({
    'environment/Dockerfile': `FROM debian:12\nWORKDIR /app\n${lines}\n`,
  });
  const cwd = place({
    ...variant('clones', dockerfile('RUN apt-get update && \\\n  git clone https://example.org/x /app/x')),
    ...variant('image', {
      ...dockerfile('RUN apt-get update && apt-get install -y gcc'),
      'task.toml': '[environment]\ndocker_image = "acme/gcc:1"\n',
    }),
    ...variant('installs', dockerfile('RUN apt-get update && apt-get install -y gcc')),
    ...variant('loads', { 'tests/test.sh': 'apt-get update\napt-get install -y curl\n' }),
    ...variant('nowhere', { 'environment/Dockerfile': 'FROM debian:12\n' }),
    ...variant('outside', dockerfile('COPY data /srv/data')),
    ...variant('steps', { 'task.toml': '[[steps]]\nname = "one"\n[[steps]]\nname = "two"\n' }),
    ...variant('toml', { 'task.toml': '[agent]\ntimeout_sec = soon\n' }),
    ...variant('untested', {}, ['tests/test.sh']),
  });
  const { items, broken } = await loadDataset({ cwd }, 'set');
  expect(items).toMatchObject([{ id: 'image', image: 'acme/gcc:1', isolation: ['docker'] }]);
  expect(Object.fromEntries(broken.map(({ id, reason }) => [id, reason]))).toMatchInlineSnapshot(`
    {
      "clones": "its Dockerfile may create files with RUN apt-get update &&    git clone https://example.org/x /app/x; only files from COPY are supported",
      "installs": "it installs programs; build its Dockerfile and name the image as environment.docker_image in task.toml",
      "loads": "it installs programs; build its Dockerfile and name the image as environment.docker_image in task.toml",
      "nowhere": "its Dockerfile has no WORKDIR",
      "outside": "its Dockerfile copies files to /srv/data, outside of /app",
      "steps": "it has several steps; only tasks with one step are supported",
      "toml": "task.toml:2: invalid value",
      "untested": "it has no tests/test.sh",
    }
  `);
});

/** Prints what pytest -rA does, so that the test needs no pytest. */
const TERMINAL_BENCH: Files = {
  'task.yaml': `
instruction: |-
  Write the sum of /app/numbers.txt to /app/sum.txt.
difficulty: medium
category: data
tags:
  - sums
parser_name: pytest
max_agent_timeout_sec: 300.0
max_test_timeout_sec: 30.0
`,
  Dockerfile: 'FROM debian:12\nWORKDIR /app\nCOPY . .\n',
  'docker-compose.yaml': 'services:\n  client:\n    build: .\n',
  'numbers.txt': '1\n2\n',
  'run-tests.sh': '#!/bin/bash\nsh $TEST_DIR/test_outputs.sh\n',
  'tests/test_outputs.sh':
    'if [ "$(cat /app/sum.txt)" = 3 ]; then echo "PASSED /tests/test_outputs.py::test_sum"; else echo "FAILED /tests/test_outputs.py::test_sum"; exit 1; fi\n',
  'solution.sh': '#!/bin/bash\ncd /app\necho $(($(paste -sd+ numbers.txt))) > sum.txt\n',
};

test('reads a terminal-bench task; its tests pass with the solution and fail without it', async () => {
  needProgram('bash');
  const cwd = place({
    ...under('tasks/sum', TERMINAL_BENCH),
    ...under('tasks/odd', {
      ...TERMINAL_BENCH,
      'task.yaml': 'instruction: x\nparser_name: swelancer\n',
    }),
  });
  const { items, broken, format } = await loadDataset({ cwd }, '.');
  expect(format).toBe('terminal-bench');
  expect(broken).toEqual([{ id: 'odd', reason: 'its tests use the parser swelancer; expected pytest' }]);
  const [item] = items as [EvalItem];
  expect(item).toMatchObject({
    id: 'sum',
    base: { kind: 'files', files: { 'numbers.txt': '1\n2\n' }, executable: [] },
    difficulty: 'medium',
    tags: ['sums', 'data'],
    timeout: '300s',
    graders: [{ kind: 'tests', parser: 'pytest', timeout: '30s' }],
  });
  expect(runItem(item, { solved: true })).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^PASSED .*test_sum\n$/),
  });
  expect(runItem(item, { solved: false })).toMatchObject({ status: 1 });
});

/** Runs an item's setup, solution and grader in a directory with a name that breaks scripts. */
function runItem(item: EvalItem, { solved }: { readonly solved: boolean }) {
  if (item.base.kind !== 'files') throw new Error('the base is files');
  const directory = place(item.base.files, join(tempDir(), 'a & b #1'));
  if (solved) solve(item, directory);
  place(item.hidden ?? {}, directory);
  const [grader] = item.graders;
  if (grader?.kind !== 'reward' && grader?.kind !== 'tests') throw new Error('the grader runs something');
  const { status, stdout } = spawnSync('sh', ['-c', grader.run], { cwd: directory, encoding: 'utf8' });
  const reward = grader.kind === 'reward' ? readFileSync(join(directory, grader.file), 'utf8') : undefined;
  return { status, stdout, reward };
}

function solve(item: EvalItem, directory: string): string {
  if (item.solution?.kind !== 'script') throw new Error('the solution is a script');
  execFileSync('sh', ['-c', item.solution.run], { cwd: directory, stdio: 'pipe' });
  return directory;
}
