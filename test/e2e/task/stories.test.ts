import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { StoryReport } from '../../../src/domain/story/story-report.js';
import type { Carrel } from '../../helpers/carrel.js';
import { thoroughTest } from '../../helpers/flavours.js';
import { isRunning } from '../../helpers/machine/processes.js';
import { git } from '../../helpers/repository.js';
import { makeServedStories } from '../../helpers/task/served-stories.js';
import { tempDir } from '../../helpers/temp.js';
import { waitFor } from '../../helpers/wait-for.js';
import { createTidyCarrel } from '../../helpers/workspace/test-workspace.js';
import { requireBubblewrap } from '../../parts/bubblewrap.js';

const MAKE =
  'do: printf "{\\"scripts\\":{\\"build\\":\\"echo built > built.txt\\"}}" > package.json; mkdir -p src; echo hello > src/greeting.txt';

test('a story is run, checked in its worktree and cleaned up; one that fails keeps its worktree', async () => {
  const { run, kept, server, repository, carrel, args, directory } = await makeServedStories({
    good: {
      story: MAKE,
      tags: ['quick'],
      expectations: [
        { type: 'compiles' },
        { type: 'tests_pass', command: 'test -f built.txt' },
        { type: 'file_exists', path: 'src/greeting.txt' },
        { type: 'file_contains', path: 'src/greeting.txt', text: 'hello' },
        { type: 'file_not_contains', path: 'src/greeting.txt', pattern: '^bye' },
      ],
    },
    bad: {
      story: 'do: ln -s /etc/passwd leak; echo x > x.txt',
      expectations: [
        { type: 'file_exists', path: 'leak' },
        { type: 'tests_pass', command: 'echo red; exit 4' },
        { type: 'compiles' },
      ],
    },
  });
  const { status, report } = run('--parallel', '2');
  const [bad, good] = report.stories;
  expect(status).toBe(1);
  expect(good).toMatchObject({
    name: 'good',
    status: 'completed',
    passed: true,
    worktreeKept: false,
    failure: null,
    warnings: [],
  });
  expect(good?.expectations.map(({ detail }) => detail)).toEqual([
    'npm run build',
    'test -f built.txt',
    'src/greeting.txt',
    'src/greeting.txt',
    'src/greeting.txt',
  ]);
  // The work stays, without its worktree.
  expect(existsSync(good?.worktreePath ?? '')).toBe(false);
  expect(git(repository, 'show', `${good?.branch}:src/greeting.txt`)).toBe('hello');
  expect(bad).toMatchObject({
    passed: false,
    worktreeKept: true,
    failure: 'expectations not met: file_exists, tests_pass, compiles',
  });
  expect(bad?.expectations.map(({ detail }) => detail)).toEqual([
    'leak: it leads out of the workspace',
    'echo red; exit 4: it exited with status 4\nred',
    'no file of the worktree says how to build it; set `command`',
  ]);
  expect(existsSync(join(bad?.worktreePath ?? '', 'x.txt'))).toBe(true);
  expect(kept()).toEqual(report);

  writeFileSync(
    join(directory, 'bad.yaml'),
    stringify({ name: 'bad', repository, story: 'do: echo x > x.txt' }),
  );
  const again = run('--failed-only');
  expect(again).toMatchObject({ status: 0, report: { passed: 1, failed: 0, stories: [{ name: 'bad' }] } });
  expect(kept().stories.map(({ name, passed }) => [name, passed])).toEqual([
    ['bad', true],
    ['good', true],
  ]);
  const none = carrel.run(directory, ...args, '--failed-only');
  expect(none).toMatchObject({ status: 0, stdout: '', stderr: expect.stringContaining('none of these') });
  expect(run('--failed-only')).toMatchObject({ status: 0, report: { stories: [] } });
  expect(carrel.error(directory, ...args, '--report', directory)).toMatchObject({
    code: 'STORY_REPORT_UNUSABLE',
    details: { problem: 'it is a directory' },
  });
  expect(kept().stories).toHaveLength(2);
  await server.stop();
});

thoroughTest(
  'a story that takes too long is cancelled, and so is one whose client is interrupted',
  async () => {
    const { run, carrel, server, directory, args, repository, tally } = await makeServedStories({
      slow: { story: 'do: echo $$ >> "$TALLY"; exec sleep 600', timeoutSeconds: 4 },
    });
    const { status, report } = run();
    expect(status).toBe(1);
    expect(report.stories[0]).toMatchObject({
      status: 'cancelled',
      failure: 'it did not finish within 4 s',
      worktreeKept: true,
    });
    writeFileSync(
      join(directory, 'slow.yaml'),
      stringify({ name: 'slow', repository, story: 'do: echo $$ >> "$TALLY"; exec sleep 600' }),
    );
    const before = tally().length;
    const started = carrel.start(directory, ...args, '--json');
    const pid = Number(await waitFor('the agent', () => tally()[before]));
    started.child.kill('SIGINT');
    const ended = await started;
    expect(ended.status).toBe(130);
    expect(JSON.parse(ended.stdout).stories[0]).toMatchObject({
      status: 'cancelled',
      failure: 'it was interrupted',
    });
    expect(isRunning(pid)).toBe(false);
    await server.stop();
  },
);

thoroughTest(
  'commands that check sandboxed work run in its sandbox or not at all, and never see the token',
  async context => {
    requireBubblewrap(context);
    const story = 'do: echo x > x.txt';
    const check = (command: string) => [{ type: 'tests_pass', command }];
    const { carrel, server, directory, args } = await makeServedStories({
      inside: {
        ...{ story, isolation: 'full', strict: true },
        expectations: check('test "$CARREL_SANDBOX$CARREL_TOKEN" = 1'),
      },
      outside: { story, expectations: check('test -z "$CARREL_SANDBOX$CARREL_TOKEN"') },
    });
    const runBy = (who: Carrel) => {
      const { stdout } = who.runWith(
        { CARREL_TOKEN: server.token },
        directory,
        ...args,
        '--parallel',
        '2',
        '--json',
      );
      const { stories } = JSON.parse(stdout) as StoryReport;
      return stories.map(({ name, expectations }) => [
        name,
        expectations[0]?.passed,
        expectations[0]?.detail,
      ]);
    };
    expect(runBy(carrel)).toEqual([
      ['inside', true, expect.any(String)],
      ['outside', true, expect.any(String)],
    ]);
    // Another state directory on the same machine, which does not know the workspaces.
    expect(runBy(createTidyCarrel())).toEqual([
      ['inside', false, expect.stringContaining('it was not run: the work needs a sandbox')],
      ['outside', true, expect.any(String)],
    ]);
    await server.stop();
  },
);

test('mistakes in stories are reported with their location, before anything is sent', async () => {
  const { carrel, server, directory, args } = await makeServedStories({
    one: { story: 'x', expectation: [] },
  });
  expect(carrel.error(directory, ...args)).toMatchObject({
    status: 2,
    code: 'CONFIG_UNKNOWN_KEY',
    details: { key: 'expectation', line: 4, nearest: 'expectations' },
  });
  expect(
    carrel.error(directory, 'story', 'run', directory, '--server', 'http://127.0.0.1:9', '--tags', 'x').code,
  ).toBe('CONFIG_UNKNOWN_KEY');
  const empty = tempDir();
  expect(carrel.error(empty, 'story', 'run', empty)).toMatchObject({ status: 2, code: 'NO_SERVER' });
  await server.stop();
});
