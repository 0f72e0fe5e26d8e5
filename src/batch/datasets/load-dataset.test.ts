import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../test/helpers/temp.js';
import { loadDataset } from './load-dataset.js';

function place(files: Readonly<Record<string, string>>): string {
  const directory = tempDir();
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), content);
  }
  return directory;
}

test('loads golden by name, and suggests it for an unknown name', async () => {
  const cwd = tempDir();
  expect((await loadDataset({ cwd }, 'golden')).items.length).toBeGreaterThanOrEqual(15);
  await expect(loadDataset({ cwd }, 'goldn')).rejects.toMatchObject({
    code: 'UNKNOWN_DATASET',
    hint: 'did you mean --dataset golden?',
  });
});

const GOOD = `
  - id: good
    description: Make it work.
    base: { kind: directory, directory: start }
    graders: [{ kind: command, run: make test }]
`;

test('reports where and why an item of a file is broken, and the others can run', async () => {
  const cwd = place({
    'own.yaml': `name: own\nitems:${GOOD}
  - id: worse
    description: Misspelt.
    base: { kind: files, files: {} }
    grader: []
  - description: Nameless.
${GOOD.replace('Make it work.', 'A twin.')}`,
  });
  const { name, format, items, broken } = await loadDataset({ cwd }, 'own.yaml');
  expect({ name, format, ids: items.map(({ id }) => id) }).toEqual({
    name: 'own',
    format: 'carrel',
    ids: ['good'],
  });
  expect(items[0]?.description).toBe('Make it work.');
  expect(items[0]?.base).toEqual({ kind: 'directory', directory: join(cwd, 'start') });
  expect(broken).toEqual([
    { id: 'worse', reason: expect.stringContaining(`${cwd}/own.yaml:11:5: unknown key "grader"`) },
    { id: 'item 3 of own.yaml', reason: expect.stringContaining(`${cwd}/own.yaml:12:`) },
    { id: 'good', reason: 'an earlier item has the same id' },
  ]);
});

test('a file that is not a dataset is an error with its location', async () => {
  const cwd = place({
    'syntax.yaml': 'name: x\nitems: [\n',
    'frame.json': '{"name": "x", "items": [1], "extra": 1}',
    'notes.txt': 'nothing',
    'empty/readme.md': '',
  });
  await expect(loadDataset({ cwd }, 'syntax.yaml')).rejects.toMatchObject({
    code: 'DATASET_INVALID',
    details: { file: join(cwd, 'syntax.yaml'), line: 3 },
  });
  await expect(loadDataset({ cwd }, 'frame.json')).rejects.toMatchObject({
    code: 'DATASET_INVALID',
    message: `${join(cwd, 'frame.json')}:1:29: unknown key "extra"; expected one of name, description, items`,
  });
  await expect(loadDataset({ cwd }, 'notes.txt')).rejects.toMatchObject({ code: 'DATASET_INVALID' });
  await expect(loadDataset({ cwd }, 'empty')).rejects.toMatchObject({ code: 'DATASET_INVALID' });
});

test('a directory of files is one dataset with its name', async () => {
  const cwd = place({
    'mine/a.yaml': `name: a\nitems:${GOOD}`,
    'mine/b.yml': `name: b\nitems:${GOOD.replace('id: good', 'id: second')}`,
  });
  const { name, items } = await loadDataset({ cwd }, 'mine');
  expect([name, ...items.map(({ id }) => id)]).toEqual(['mine', 'good', 'second']);
});

const ROW = {
  instance_id: 'acme__tool-7',
  repo: 'acme/tool',
  base_commit: '0123456789abcdef0123456789abcdef01234567',
  patch: 'diff --git a/tool.py b/tool.py\n--- a/tool.py\n+++ b/tool.py\n@@ -1 +1 @@\n-a\n+b',
  test_patch:
    'diff --git a/tests/test_tool.py b/tests/test_tool.py\n--- a/tests/test_tool.py\n+++ b/tests/test_tool.py\n@@ -1 +1 @@\n-a\n+b\ndiff --git a/tests/test_gone.py b/tests/test_gone.py\ndeleted file mode 100644\n',
  problem_statement: 'a should be b',
  hints_text: 'change a',
  version: '1.2',
  FAIL_TO_PASS: '["tests/test_tool.py::test_b"]',
  PASS_TO_PASS: ['tests/test_tool.py::test_c'],
  environment_setup_commit: '0123456789abcdef0123456789abcdef01234567',
};

test('a SWE-bench row becomes an item with its patch as solution, hidden tests and no hints', async () => {
  const cwd = place({ 'rows.jsonl': `${JSON.stringify(ROW)}\n` });
  const { items, broken, format } = await loadDataset({ cwd }, 'rows.jsonl');
  expect({ broken, format }).toEqual({ broken: [], format: 'swe-bench' });
  expect(items).toEqual([
    {
      id: 'acme__tool-7',
      description: 'a should be b',
      base: { kind: 'git', url: 'https://github.com/acme/tool.git', commit: ROW.base_commit },
      tags: ['acme__tool', 'version-1.2'],
      solution: { kind: 'patch', patch: `${ROW.patch}\n` },
      hiddenPatch: ROW.test_patch,
      requires: ['python3'],
      protect: ['tests/test_tool.py', 'tests/test_gone.py'],
      graders: [
        {
          kind: 'tests',
          run: 'python3 -m pytest -rA -p no:cacheprovider tests/test_tool.py',
          parser: 'pytest',
          failToPass: ['tests/test_tool.py::test_b'],
          passToPass: ['tests/test_tool.py::test_c'],
          timeout: '30m',
        },
      ],
    },
  ]);
});

test('a row may name its repository and test command; rows that cannot run have a reason', async () => {
  const rows = [
    { ...ROW, repo_path: 'clones/tool', test_cmd: './run-tests', setup: 'make', docker_image: 'acme/tool:7' },
    { ...ROW, instance_id: 'django', repo: 'django/django', FAIL_TO_PASS: ['test_b (tool.Tests)'] },
    { ...ROW, instance_id: 'go', FAIL_TO_PASS: ['TestTool/b'] },
    { ...ROW, instance_id: 'names', FAIL_TO_PASS: 'test_b' },
  ];
  const text = [...rows.map(row => JSON.stringify(row)), 'no json', '', '{"repo":"a/b"}'].join('\n');
  const cwd = place({ 'rows.jsonl': text });
  const { items, broken } = await loadDataset({ cwd }, 'rows.jsonl');
  expect(items).toMatchObject([
    {
      base: { kind: 'git', url: join(cwd, 'clones/tool') },
      setup: ['make'],
      image: 'acme/tool:7',
      graders: [{ run: './run-tests', parser: 'auto' }],
    },
    {
      id: 'django',
      graders: [{ run: expect.stringMatching(/runtests\.py .* test_tool$/), parser: 'unittest' }],
    },
  ]);
  expect(broken).toEqual([
    { id: 'go', reason: expect.stringMatching(/rows\.jsonl:3: its tests are not pytest tests/) },
    { id: 'names', reason: expect.stringMatching(/rows\.jsonl:4: FAIL_TO_PASS/) },
    { id: 'line 5', reason: expect.stringMatching(/rows\.jsonl:5: it is not JSON/) },
    { id: 'line 7', reason: expect.stringMatching(/rows\.jsonl:7: instance_id/) },
  ]);
});
