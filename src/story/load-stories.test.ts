import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeFiles } from '../../test/helpers/repository.js';
import { tempDir } from '../../test/helpers/temp.js';
import { loadStories } from './load-stories.js';

const makeFiles = (files: Readonly<Record<string, string>>) => {
  const root = tempDir();
  writeFiles(root, files);
  return root;
};

test('a directory gives the stories of all YAML files in it, with repositories relative to each file', async () => {
  const root = makeFiles({
    'b.yaml': 'name: b\nrepository: ../app\nstory: do it\ntags: [quick]\n',
    'deep/a.yml': 'name: a\nrepository: https://example.com/a.git\nstory: do it\n',
    'notes.txt': 'no story',
    'deep/c.yaml': 'name: c\nrepository: git@example.com:c.git\nstory: do it\n',
    '.hidden.yaml': 'no: story',
    '.github/workflows/build.yml': 'no: story',
    'node_modules/x/x.yaml': 'no: story',
  });
  const stories = await loadStories([root, join(root, 'b.yaml')]);
  expect(stories).toMatchObject([
    { name: 'b', repository: join(root, '../app'), tags: ['quick'], expectations: [], timeoutSeconds: 1800 },
    { name: 'a', repository: 'https://example.com/a.git', file: join(root, 'deep/a.yml') },
    { name: 'c', repository: 'git@example.com:c.git' },
  ]);
});

test.each([
  ['- type: file_exists\n  path: ../secret', { key: 'expectations[0].path', line: 6, column: 9 }],
  ['- type: file_contains\n  path: a.ts', { key: 'expectations[0]', expected: 'either text or pattern' }],
  ['- type: file_contains\n  path: a.ts\n  pattern: "("', { expected: 'a regular expression', line: 7 }],
  ['- type: compile', { key: 'expectations[0].type', nearest: 'compiles' }],
])('a mistake in an expectation is reported with its position: %s', async (expectation, details) => {
  const root = makeFiles({
    'a.yaml': `name: a\nrepository: .\nstory: do it\nexpectations:\n${expectation}\n`,
  });
  await expect(loadStories([root])).rejects.toMatchObject({ code: 'CONFIG_INVALID', details });
});

test('two stories with the same name, and a missing file, are refused', async () => {
  const story = 'name: a\nrepository: .\nstory: do it\n';
  const root = makeFiles({ 'a.yaml': story, 'b.yaml': story });
  await expect(loadStories([root])).rejects.toMatchObject({ code: 'STORY_TWICE' });
  await expect(loadStories([join(root, 'c.yaml')])).rejects.toMatchObject({ code: 'NO_STORIES' });
});
