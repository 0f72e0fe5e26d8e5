import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commitFiles, gitEnv, makeRepository, git as plainGit } from '../../../test/helpers/repository.js';
import { isCarrelError } from '../../domain/error/error.js';
import { gitEnvironment } from '../../exec/command-environment.js';
import { runProcess } from '../../exec/run-process.js';
import { createGit } from '../git.js';
import { listRefs, readRef, resolveCommit, resolveSymbolicRef, symbolicHead, updateRefs } from './refs.js';

const git = createGit({ run: runProcess, env: gitEnvironment(gitEnv()) });

function makeHistory() {
  const repository = makeRepository();
  const first = plainGit(repository, 'rev-parse', 'HEAD');
  const second = commitFiles(repository, { a: 'a\n' });
  return { repository, place: { gitDir: join(repository, '.git') }, first, second };
}

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'done',
    error => (isCarrelError(error) ? error.code : error),
  );

test('a branch, a tag, an id and HEAD resolve to the same commit', async () => {
  const { repository, place, second } = makeHistory();
  plainGit(repository, 'tag', '-a', '-m', 'one', 'v1');
  for (const name of ['main', 'v1', second, 'HEAD', 'refs/heads/main']) {
    expect(await resolveCommit(git, place, name)).toBe(second);
  }
});

test.each([
  'nope',
  '',
  '--all',
  '-q',
  '--end-of-options',
  '^main',
  'main..main',
  'main@{99}',
  'main:a',
  'main^{tree}',
  'a\nb',
])('the name %j is neither a commit nor a flag', async name => {
  const { place } = makeHistory();
  expect(await resolveCommit(git, place, name)).toBeUndefined();
});

test('a ref is read by its exact name only', async () => {
  const { repository, place, second } = makeHistory();
  plainGit(repository, 'branch', 'topic/one');
  plainGit(repository, 'update-ref', 'refs/heads/refs/heads/x', 'HEAD');
  expect(await readRef(git, place, 'refs/heads/topic/one')).toBe(second);
  expect(await readRef(git, place, 'refs/heads/topic')).toBeUndefined();
  expect(await readRef(git, place, 'refs/heads/x')).toBeUndefined();
  expect(await readRef(git, place, 'refs/heads/*')).toBeUndefined();
});

test('refs are listed by prefix, and an annotated tag by its commit', async () => {
  const { repository, place, second } = makeHistory();
  plainGit(repository, 'branch', 'täg/größe');
  plainGit(repository, 'tag', '-a', '-m', 'one', 'v1');
  expect(await listRefs(git, place, ['refs/heads/täg', 'refs/tags'])).toEqual([
    { ref: 'refs/heads/täg/größe', commit: second },
    { ref: 'refs/tags/v1', commit: second },
  ]);
  expect(await listRefs(git, place, ['refs/nothing'])).toEqual([]);
  expect((await listRefs(git, place, [])).length).toBe(3);
});

test('the checked out branch has a short name, and a detached HEAD none', async () => {
  const { repository, place } = makeHistory();
  plainGit(repository, 'switch', '--quiet', '-c', 'topic/one');
  expect(await symbolicHead(git, place)).toBe('topic/one');
  plainGit(repository, 'switch', '--quiet', '--detach');
  expect(await symbolicHead(git, place)).toBeUndefined();
});

test('a symbolic branch resolves to the branch it points to', async () => {
  const { repository, place } = makeHistory();
  plainGit(repository, 'symbolic-ref', 'refs/heads/master', 'refs/heads/main');
  expect(await resolveSymbolicRef(git, place, 'refs/heads/master')).toBe('refs/heads/main');
  expect(await resolveSymbolicRef(git, place, 'refs/heads/main')).toBe('refs/heads/main');
  expect(await resolveSymbolicRef(git, place, 'refs/heads/none')).toBeUndefined();
});

test('refs are created, moved and deleted in one transaction with a reflog entry', async () => {
  const { repository, place, first, second } = makeHistory();
  plainGit(repository, 'branch', 'old');
  await updateRefs(
    git,
    place,
    [
      { ref: 'refs/heads/new', from: null, to: first },
      { ref: 'refs/heads/main', from: second, to: first },
      { ref: 'refs/heads/old', from: second, to: null },
    ],
    'carrel: a test',
  );
  expect(await listRefs(git, place, [])).toEqual([
    { ref: 'refs/heads/main', commit: first },
    { ref: 'refs/heads/new', commit: first },
  ]);
  expect(plainGit(repository, 'log', '-g', '-1', '--format=%gs', 'main')).toBe('carrel: a test');
});

test('when one ref has moved, none of them changes', async () => {
  const { place, first, second } = makeHistory();
  const changes = [
    { ref: 'refs/heads/new', from: null, to: first },
    { ref: 'refs/heads/main', from: first, to: second },
  ];
  await expect(updateRefs(git, place, changes)).rejects.toMatchObject({
    code: 'REF_MOVED',
    details: { ref: 'refs/heads/main', expected: first, found: second },
  });
  expect(await readRef(git, place, 'refs/heads/new')).toBeUndefined();
});

test('a ref that should not exist but does, or should but does not, has moved', async () => {
  const { place, first, second } = makeHistory();
  const attempts = [
    { ref: 'refs/heads/main', from: null, to: first },
    { ref: 'refs/heads/main', from: null, to: null },
    { ref: 'refs/heads/none', from: second, to: first },
    { ref: 'refs/heads/none', from: second, to: null },
  ];
  for (const change of attempts) expect(await codeOf(updateRefs(git, place, [change]))).toBe('REF_MOVED');
  await updateRefs(git, place, [{ ref: 'refs/heads/none', from: null, to: null }]);
  expect(await readRef(git, place, 'refs/heads/main')).toBe(second);
});

test("a lock held by another git for longer than git's own timeout is waited for", async () => {
  const { repository, place, first, second } = makeHistory();
  const lock = join(repository, '.git/refs/heads/main.lock');
  writeFileSync(lock, '');
  const updated = updateRefs(git, place, [{ ref: 'refs/heads/main', from: second, to: first }]);
  // git gives up after 100 ms by default.
  const released = new Promise<void>(resolve => {
    setTimeout(() => {
      rmSync(lock);
      resolve();
    }, 300);
  });
  await Promise.all([updated, released]);
  expect(await readRef(git, place, 'refs/heads/main')).toBe(first);
});

test('an error that is neither a moved ref nor a short lock is reported as a git failure', async () => {
  const { place, first } = makeHistory();
  // A file can't be made below a file.
  const change = { ref: 'refs/heads/main/below', from: null, to: first };
  expect(await codeOf(updateRefs(git, place, [change]))).toBe('GIT_FAILED');
});

test('of many concurrent moves of a ref exactly one succeeds', async () => {
  const { place, first, second } = makeHistory();
  const change = { ref: 'refs/heads/main', from: second, to: first };
  const outcomes = await Promise.all(
    Array.from({ length: 6 }, () => codeOf(updateRefs(git, place, [change]))),
  );
  expect(outcomes.sort()).toEqual(['REF_MOVED', 'REF_MOVED', 'REF_MOVED', 'REF_MOVED', 'REF_MOVED', 'done']);
});
