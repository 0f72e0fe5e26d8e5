import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { StoryReport } from '../../../src/domain/story/story-report.js';
import type { StoryComparison } from '../../../src/story/compare-story-runs.js';
import { thoroughTest } from '../../helpers/flavours.js';
import { makeServedStories } from '../../helpers/task/served-stories.js';

test('story runs are kept, listed, shown and compared, and --failed-only continues from the last one', async () => {
  const { run, carrel, server, directory, repository, kept } = await makeServedStories({
    good: { story: 'do: echo x > x.txt' },
    bad: {
      story: 'do: echo x > x.txt',
      expectations: [{ type: 'file_exists', path: 'y.txt' }],
    },
  });
  expect(carrel.json(directory, 'story', 'ls')).toEqual([]);
  expect(carrel.error(directory, 'story', 'show')).toMatchObject({ code: 'STORY_RUN_NOT_FOUND' });
  // The first report is in a file that is named, and in the history.
  const first = run().report;
  expect(kept()).toEqual(first);
  writeFileSync(
    join(directory, 'bad.yaml'),
    stringify({ name: 'bad', repository, story: 'do: echo y > y.txt' }),
  );
  // Without --report it continues from the history, and writes the usual file.
  const args = ['story', 'run', directory, '--server', server.url, '--failed-only', '--json'];
  const second = JSON.parse(carrel.ok(directory, ...args)) as StoryReport;
  expect(second.stories.map(({ name, passed }) => [name, passed])).toEqual([['bad', true]]);
  const [a, b] = [first.id as string, second.id as string];
  expect(carrel.json(directory, 'story', 'ls')).toMatchObject([
    { id: b, passed: 2, failed: 0, server: server.url },
    { id: a, passed: 1, failed: 1 },
  ]);
  expect(carrel.ok(directory, 'story', 'ls')).toMatch(new RegExp(`${b} .*\\n${a} `));
  // A kept run has the last result of every story: what ran again replaces what failed.
  const shown = carrel.json(directory, 'story', 'show') as StoryReport;
  expect(shown.stories.map(({ name, passed }) => [name, passed])).toEqual([
    ['bad', true],
    ['good', true],
  ]);
  const usual = join(carrel.stateDir, 'stories', 'report.json');
  expect(JSON.parse(readFileSync(usual, 'utf8'))).toEqual(shown);
  expect(carrel.json(directory, 'story', 'show', a)).toEqual(first);
  expect(carrel.run(directory, 'story', 'show', a.slice(0, -2))).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('file_exists: y.txt'),
    stderr: expect.stringContaining('1 passed, 1 failed'),
  });
  const comparison = carrel.json(directory, 'story', 'compare', a, b) as StoryComparison;
  expect(comparison).toMatchObject({
    before: { id: a, passed: 1 },
    after: { id: b, passed: 2 },
    totals: { fixed: 1, broken: 0, passed: 1, failed: 0, added: 0, missing: 0 },
    stories: [
      { name: 'bad', change: 'fixed', before: { unmet: ['file_exists'] }, after: { unmet: [] } },
      { name: 'good', change: 'passed' },
    ],
  });
  expect(carrel.json(directory, 'story', 'compare', a)).toEqual(comparison);
  expect(carrel.ok(directory, 'story', 'compare', b, a)).toContain('0 fixed, 1 broken, 2 → 1 passed');
  expect(carrel.error(directory, 'story', 'show', 'story_')).toMatchObject({ code: 'STORY_RUN_AMBIGUOUS' });
  expect(carrel.error(directory, 'story', 'compare', a, 'nothing')).toMatchObject({
    code: 'STORY_RUN_NOT_FOUND',
    details: { known: [b, a] },
  });
  await server.stop();
});

thoroughTest(
  'reports of earlier versions are read: by their path, as the latest, and by --failed-only',
  async () => {
    const { run, carrel, server, directory } = await makeServedStories({
      bad: { story: 'do: echo x > x.txt', expectations: [{ type: 'file_exists', path: 'y.txt' }] },
    });
    const { id, ...old } = run().report;
    const stories = join(carrel.stateDir, 'stories');
    rmSync(join(stories, 'runs', `${id}.json`));
    writeFileSync(join(stories, 'report.json'), JSON.stringify(old));
    expect(carrel.json(directory, 'story', 'show')).toEqual(old);
    expect(carrel.json(directory, 'story', 'show', join(stories, 'report.json'))).toEqual(old);
    const args = ['story', 'run', directory, '--server', server.url, '--failed-only', '--json'];
    expect(carrel.run(directory, ...args)).toMatchObject({ status: 1 });
    expect(readdirSync(join(stories, 'runs'))).toHaveLength(1);
    // A damaged report hides no other.
    writeFileSync(join(stories, 'runs', 'story_00000000aaaaaaaa.json'), '{');
    expect(carrel.run(directory, 'story', 'ls')).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('story_00000000aaaaaaaa.json'),
    });
    expect(carrel.json(directory, 'story', 'ls')).toHaveLength(1);
    await server.stop();
  },
);
