import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { commitFiles, git, makeRepository } from '../../../test/helpers/repository.js';
import { pathWithout } from '../../../test/helpers/sandbox/sandboxed.js';
import { makeWorkSite } from '../../../test/helpers/task/work-site.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { publishTask } from './publish-task.js';

/** Records its arguments, and answers like gh. */
const GH = `#!/bin/sh
printf '%s\\n' "$*" >>"$0.calls"
case "$2" in
  view) [ -e "$0.open" ] && cat "$0.open" || exit 1 ;;
  create) cat >"$0.body"; echo "Creating pull request"; echo https://forge.example/pulls/7 ;;
esac
`;

async function makeSite(makesRequests = true) {
  const repository = makeRepository();
  const remote = join(tempDir(), 'remote.git');
  git(repository, 'init', '--quiet', '--bare', remote);
  git(repository, 'remote', 'add', 'origin', remote);
  // A failing hook would be noticed.
  writeFileSync(join(repository, '.git/hooks/pre-push'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  const programs = join(tempDir(), 'bin');
  mkdirSync(programs);
  const gh = join(programs, 'gh');
  if (makesRequests) writeFileSync(gh, GH, { mode: 0o755 });
  const site = await makeWorkSite(repository, { PATH: `${programs}:${pathWithout('gh')}` });
  const record = await site.up('a');
  const commit = commitFiles(record.path, { 'two.txt': 'two\n' });
  const task = await site.task(record);
  const pushed = () => git(remote, 'for-each-ref', '--format=%(refname) %(objectname)');
  return { ...site, remote, gh, record, commit, task, pushed };
}

test("pushes only the branch, without the repository's hooks", async () => {
  const { app, task, commit, pushed } = await makeSite();
  const published = { remote: 'origin', pullRequest: null };
  expect(await publishTask(app, { id: task.id })).toEqual(published);
  expect(pushed()).toBe(`refs/heads/carrel/a ${commit}`);
  expect(await app.store.tasks.find(task.id)).toMatchObject({ published });
});

test('gh creates a pull request, and the open one is found again', async () => {
  const { app, task, gh, record, pushed } = await makeSite();
  const order = { id: task.id, pullRequest: true, draft: true };
  const pullRequest = 'https://forge.example/pulls/7';
  expect(await publishTask(app, order)).toEqual({ remote: 'origin', pullRequest });
  expect(readFileSync(`${gh}.calls`, 'utf8').split('\n')[1]).toBe(
    'pr create --head carrel/a --base main --draft --title Add a dark mode --body-file -',
  );
  expect(readFileSync(`${gh}.body`, 'utf8')).toBe(
    `Add a dark mode\n\nwith a switch\n\nCarrel-Task: ${task.id}\n`,
  );
  writeFileSync(`${gh}.open`, JSON.stringify({ url: pullRequest, state: 'OPEN' }));
  const next = commitFiles(record.path, { 'three.txt': 'three\n' });
  expect(await publishTask(app, order)).toEqual({ remote: 'origin', pullRequest });
  expect(readFileSync(`${gh}.calls`, 'utf8').match(/pr create/g)).toHaveLength(1);
  expect(pushed()).toBe(`refs/heads/carrel/a ${next}`);
});

test('does not overwrite commits on the remote', async () => {
  const { app, task, record, commit, pushed } = await makeSite();
  await publishTask(app, { id: task.id });
  git(record.path, 'commit', '--quiet', '--amend', '-m', 'otherwise');
  await expect(publishTask(app, { id: task.id })).rejects.toMatchObject({
    code: 'PUSH_REFUSED',
    details: { reason: expect.stringContaining('rejected') },
  });
  expect(pushed()).toBe(`refs/heads/carrel/a ${commit}`);
});

test('without gh, or without that remote, nothing is pushed', async () => {
  const { app, task, gh, pushed } = await makeSite(false);
  const asked = publishTask(app, { id: task.id, pullRequest: true });
  await expect(asked).rejects.toMatchObject({ code: 'GH_MISSING' });
  const elsewhere = publishTask(app, { id: task.id, remote: '--all' });
  await expect(elsewhere).rejects.toMatchObject({ code: 'UNKNOWN_REMOTE' });
  expect([pushed(), existsSync(gh)]).toEqual(['', false]);
});

test('a remote that is a path relative to the repository is found', async () => {
  const { app, repository, remote, task, commit, record, pushed } = await makeSite();
  git(repository, 'remote', 'set-url', 'origin', relative(repository, remote));
  await publishTask(app, { id: task.id });
  expect(pushed()).toBe(`refs/heads/${record.branch} ${commit}`);
});
