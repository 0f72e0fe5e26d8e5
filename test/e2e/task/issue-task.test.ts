import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Task } from '../../../src/domain/task/task.js';
import { thoroughTest } from '../../helpers/flavours.js';
import { git } from '../../helpers/repository.js';
import { pathWithout } from '../../helpers/sandbox/sandboxed.js';
import { serveCarrel } from '../../helpers/server/served-carrel.js';
import { makeScriptedTasks } from '../../helpers/task/scripted-tasks.js';
import { tempDir } from '../../helpers/temp.js';

// `carrel run --issue`. The programs below are a stand-in for the network service behind gh and glab, not for a part of
// Carrel: they print what `gh issue view --json number,title,body,url` and `glab issue view --output json` print.

const ISSUE = {
  body: 'Steps:\r\n1. open it\r\n\r\n```\n$(touch "$HOME/run-by-title")\n```\u001b[31m --isolation shared',
  number: 12,
  title: 'Crash on "empty" input; rm -rf /',
  url: 'https://forge.example/o/r/issues/12',
};
const GITLAB = {
  iid: 12,
  title: 'Slow start',
  description: 'It takes long',
  web_url: 'https://gitlab.example/o/r/-/issues/12',
};

function makeSite(programs: Readonly<Record<string, string>>) {
  const directory = join(tempDir(), 'bin');
  mkdirSync(directory);
  for (const [name, text] of Object.entries(programs))
    writeFileSync(join(directory, name), `#!/bin/sh\nprintf '%s\\n' "$*" >> "$0.calls"\n${text}\n`, {
      mode: 0o755,
    });
  const site = makeScriptedTasks({
    agents: { worker: 'cat > "$TALLY"; echo 1 > made.txt' },
    stages: [{ name: 'only', agent: 'worker' }],
    workflow: { isolation: 'worktree' },
    environment: { PATH: `${directory}:${pathWithout('gh', 'glab')}` },
  });
  return { ...site, calls: (name: string) => readFileSync(join(directory, `${name}.calls`), 'utf8') };
}

const answer = (value: object): string => `cat <<'END'\n${JSON.stringify(value)}\nEND`;

test('title and body of an issue are the prompt, and its number is in the branch and in the commit', () => {
  const site = makeSite({ gh: answer(ISSUE) });
  const { carrel, repository } = site;
  const done = JSON.parse(
    carrel.run(repository, 'run', 'Add a test', '--issue', '12', '--json').stdout,
  ) as Task;
  expect(site.calls('gh')).toBe('issue view 12 --json number,title,body,url\n');
  expect(done).toMatchObject({
    status: 'succeeded',
    issue: { number: 12, url: ISSUE.url },
    isolation: { effective: 'worktree' },
    branch: expect.stringMatching(/^carrel\/issue-12-crash-on-empty-input-rm-\w+$/),
  });
  expect(done.description).toBe(
    `${ISSUE.title}\n\nSteps:\n1. open it\n\n\`\`\`\n$(touch "$HOME/run-by-title")\n\`\`\`[31m --isolation shared\n\nAdd a test`,
  );
  expect(site.tally().join('\n')).toContain('Crash on "empty" input; rm -rf /');
  expect(
    git(repository, 'log', '-1', '--format=%(trailers:key=Carrel-Issue,valueonly)', done.branch as string),
  ).toBe('#12');
  expect(carrel.ok(repository, 'task', 'show', done.id)).toContain(`#12 ${ISSUE.url}`);
});

thoroughTest('glab reads the issue of a repository at GitLab', () => {
  const site = makeSite({ gh: 'exit 1', glab: answer(GITLAB) });
  git(site.repository, 'remote', 'add', 'origin', 'git@gitlab.example:o/r.git');
  const { carrel, repository } = site;
  const done = JSON.parse(carrel.run(repository, 'run', '--issue', '12', '--json').stdout) as Task;
  expect(done).toMatchObject({
    description: 'Slow start\n\nIt takes long',
    issue: { number: 12, url: GITLAB.web_url },
  });
  expect(site.calls('glab')).toBe('issue view 12 --output json\n');
});

thoroughTest('a server gets the text and the number of the issue, which is read here', async () => {
  const site = makeSite({ gh: answer(ISSUE) });
  const { carrel, repository } = site;
  const server = await serveCarrel(carrel, repository, '--port', '0');
  const run = carrel.run(repository, 'run', '--issue', '12', '--json', '--server', server.url);
  expect(JSON.parse(run.stdout)).toMatchObject({
    status: 'succeeded',
    issue: { number: 12, url: ISSUE.url },
  });
  await server.stop();
});

test('without a program, a login or a description the error says what to do, and no task exists', () => {
  const without = makeSite({});
  const { carrel, repository } = without;
  expect(carrel.error(repository, 'run', '--issue', '12')).toMatchObject({
    status: 4,
    code: 'FORGE_PROGRAM_MISSING',
    hint: expect.stringContaining('gh auth login'),
  });
  expect(carrel.error(repository, 'run')).toMatchObject({
    code: 'INVALID_INPUT',
    message: expect.stringContaining('--issue'),
  });
  expect(carrel.error(repository, 'run', '--issue', 'twelve')).toMatchObject({ status: 2 });
  const loggedOut = makeSite({
    gh: 'echo "To get started with GitHub CLI, please run:  gh auth login" >&2; exit 4',
  });
  expect(loggedOut.carrel.error(loggedOut.repository, 'run', '--issue', '12')).toMatchObject({
    status: 1,
    code: 'ISSUE_NOT_READ',
    message: expect.stringContaining('please run:  gh auth login'),
    hint: expect.stringContaining('gh auth login'),
  });
  const broken = makeSite({ gh: 'echo "<html>"' });
  expect(broken.carrel.error(broken.repository, 'run', '--issue', '12')).toMatchObject({
    code: 'ISSUE_NOT_READ',
  });
  for (const site of [without, loggedOut, broken])
    expect(site.carrel.json(site.repository, 'task', 'ls')).toEqual([]);
});
