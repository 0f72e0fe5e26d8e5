import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fingerprint } from '../../../test/helpers/fingerprint.js';
import { thoroughTest } from '../../../test/helpers/flavours.js';
import { commitFiles, gitEnv, makeRepository, git as plainGit } from '../../../test/helpers/repository.js';
import { gitEnvironment } from '../../exec/command-environment.js';
import { runProcess } from '../../exec/run-process.js';
import { displayPath } from '../byte-path.js';
import { createGit } from '../git.js';
import { createCommit, mergeTrees } from './merge.js';
import { replayCommits } from './replay.js';

const git = createGit({ run: runProcess, env: gitEnvironment(gitEnv()) });

function makeFork(ours: Record<string, string>, theirs: Record<string, string>) {
  const repository = makeRepository({ 'a.txt': 'one\ntwo\nthree\n', 'b.txt': 'b\n' });
  const base = plainGit(repository, 'rev-parse', 'HEAD');
  plainGit(repository, 'switch', '--quiet', '-c', 'topic');
  const topic = commitFiles(repository, theirs, 'theirs');
  plainGit(repository, 'switch', '--quiet', 'main');
  const main = commitFiles(repository, ours, 'ours');
  return { repository, place: { gitDir: join(repository, '.git') }, base, topic, main };
}

const show = (repository: string, name: string) => plainGit(repository, 'cat-file', 'blob', name);

test('a clean merge gives a tree and touches nothing else', async () => {
  const { repository, place, main, topic } = makeFork({ 'a.txt': 'ONE\ntwo\nthree\n' }, { 'b.txt': 'B\n' });
  const before = fingerprint(repository);
  const { tree, conflicts } = await mergeTrees(git, place, main, topic);
  expect(conflicts).toEqual([]);
  expect(show(repository, `${tree}:a.txt`)).toBe('ONE\ntwo\nthree');
  expect(show(repository, `${tree}:b.txt`)).toBe('B');
  expect(fingerprint(repository)).toEqual(before);
});

test('conflicts are listed, odd characters included', async () => {
  const odd = 'größe "x"\n.txt';
  const { place, main, topic } = makeFork(
    { 'a.txt': 'A\n', [odd]: 'ours\n' },
    { 'a.txt': 'B\n', [odd]: 'theirs\n' },
  );
  const { conflicts } = await mergeTrees(git, place, main, topic);
  expect(conflicts.map(displayPath).sort()).toEqual(['a.txt', odd]);
});

test('an explicit base makes it a cherry-pick', async () => {
  const { repository, place, main } = makeFork({ 'b.txt': 'ours\n' }, { 'a.txt': 'ONE\ntwo\nthree\n' });
  plainGit(repository, 'switch', '--quiet', 'topic');
  const first = plainGit(repository, 'rev-parse', 'HEAD');
  const second = commitFiles(repository, { 'c.txt': 'c\n' }, 'second');
  const { tree, conflicts } = await mergeTrees(git, place, main, second, first);
  expect(conflicts).toEqual([]);
  expect(plainGit(repository, 'ls-tree', '--name-only', tree).split('\n')).toEqual([
    'a.txt',
    'b.txt',
    'c.txt',
  ]);
  expect(show(repository, `${tree}:a.txt`)).toBe('one\ntwo\nthree');
});

test('a commit has the identity that the user has configured', async () => {
  const { repository, place, main } = makeFork({ x: '1\n' }, { y: '1\n' });
  const { PATH = '', ...rest } = gitEnv();
  const { GIT_CONFIG_GLOBAL = '', GIT_CONFIG_NOSYSTEM = '' } = rest;
  const anonymous = createGit({
    run: runProcess,
    env: gitEnvironment({ PATH, HOME: '/nonexistent', GIT_CONFIG_GLOBAL, GIT_CONFIG_NOSYSTEM }),
  });
  plainGit(repository, 'config', 'user.name', 'Ada');
  plainGit(repository, 'config', 'user.email', 'ada@example.com');
  const commit = { tree: `${main}^{tree}`, parents: [main], message: 'größer' };
  const id = await createCommit(anonymous, place, commit);
  expect(plainGit(repository, 'show', '-s', '--format=%an <%ae> %cn <%ce> %B', id)).toBe(
    'Ada <ada@example.com> Ada <ada@example.com> größer',
  );
  plainGit(repository, 'config', '--remove-section', 'user');
  plainGit(repository, 'config', 'user.useConfigOnly', 'true');
  const other = await createCommit(anonymous, place, commit);
  expect(plainGit(repository, 'show', '-s', '--format=%an <%ae> %cn <%ce>', other)).toBe(
    'Carrel <carrel@localhost> Carrel <carrel@localhost>',
  );
});

test('replayed commits keep author, date, message and encoding unchanged', async () => {
  const { repository, place, main, topic } = makeFork(
    { 'b.txt': 'ours\n' },
    { 'a.txt': 'ONE\ntwo\nthree\n' },
  );
  const raw = Buffer.concat([
    Buffer.from(
      `tree ${plainGit(repository, 'rev-parse', `${topic}^{tree}`)}\nparent ${topic}^\n`.replace(
        `${topic}^`,
        plainGit(repository, 'rev-parse', `${topic}^`),
      ),
    ),
    Buffer.from(
      'author J\xf6rg <j@example.com> 1000000000 +0545\ncommitter C <c@example.com> 1000000001 +0000\n',
      'latin1',
    ),
    Buffer.from('encoding ISO-8859-1\n\nGr\xf6\xdfe\n\n\n# kept  \n', 'latin1'),
  ]);
  const odd = (
    await git.run(['hash-object', '-t', 'commit', '-w', '--stdin'], { ...place, stdin: raw })
  ).stdout
    .toString()
    .trim();
  const replayed = await replayCommits(git, place, main, [odd]);
  const text = (
    await git.run(['cat-file', 'commit', replayed.conflicts ? '' : replayed.tip], place)
  ).stdout.toString('latin1');
  expect(text).toContain(
    `parent ${main}\nauthor J\xf6rg <j@example.com> 1000000000 +0545\ncommitter Test <test@example.com> `,
  );
  expect(text.slice(text.indexOf('encoding'))).toBe('encoding ISO-8859-1\n\nGr\xf6\xdfe\n\n\n# kept  \n');
});

thoroughTest('a commit that becomes empty is dropped, one that was empty is kept', async () => {
  const { repository, place, main } = makeFork(
    { 'a.txt': 'ONE\ntwo\nthree\n' },
    { 'a.txt': 'ONE\ntwo\nthree\n' },
  );
  plainGit(repository, 'switch', '--quiet', 'topic');
  commitFiles(repository, {}, 'empty');
  commitFiles(repository, { c: 'c\n' }, 'last');
  const commits = plainGit(repository, 'rev-list', '--reverse', 'main..topic').split('\n');
  const replayed = await replayCommits(git, place, main, commits);
  const tip = replayed.conflicts ? '' : replayed.tip;
  expect(plainGit(repository, 'log', '--format=%s', `${main}..${tip}`).split('\n')).toEqual([
    'last',
    'empty',
  ]);
});

test('a conflict names the files and the commit', async () => {
  const { place, main, topic } = makeFork({ 'a.txt': 'A\n' }, { 'a.txt': 'B\n' });
  expect(await replayCommits(git, place, main, [topic])).toEqual({ conflicts: ['a.txt'], at: topic });
});

test('a first commit without a parent is replayed too', async () => {
  const { repository, place, main } = makeFork({ x: '1\n' }, { y: '1\n' });
  plainGit(repository, 'switch', '--quiet', '--orphan', 'fresh');
  const root = commitFiles(repository, { 'fresh.txt': 'f\n' }, 'root');
  const replayed = await replayCommits(git, place, main, [root]);
  const tip = replayed.conflicts ? '' : replayed.tip;
  expect(plainGit(repository, 'diff', '--name-status', main, tip)).toBe('A\tfresh.txt');
});

test('repeating a merge creates no more objects', async () => {
  const { repository, place, base, main, topic } = makeFork({ 'b.txt': 'ours\n' }, { 'a.txt': 'ONE\n' });
  await mergeTrees(git, place, main, topic, base);
  const count = () => readdirSync(join(repository, '.git/objects'), { recursive: true }).length;
  const once = count();
  await mergeTrees(git, place, main, topic, base);
  expect(count()).toBe(once);
});
