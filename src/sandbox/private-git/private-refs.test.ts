import { mkdirSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { git, makeRepository, writeFiles } from '../../../test/helpers/repository.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { listPrivateRefs } from './private-refs.js';

const ID = 'a'.repeat(40);

test('every ref is listed, packed or loose, with every detached HEAD', async () => {
  const repository = makeRepository();
  const head = git(repository, 'rev-parse', 'HEAD');
  git(repository, 'tag', 'packed');
  git(repository, 'pack-refs', '--all');
  git(repository, 'branch', 'loose/one');
  git(repository, 'update-ref', 'refs/remotes/origin/main', head);
  git(repository, 'worktree', 'add', '--quiet', '--detach', join(tempDir(), 'more'));
  git(join(repository), 'checkout', '--quiet', '--detach');
  const { refs, unread } = await listPrivateRefs(join(repository, '.git'));
  const names = [
    'HEAD',
    'refs/heads/loose/one',
    'refs/heads/main',
    'refs/tags/packed',
    'worktrees/more/HEAD',
  ];
  expect([...refs].sort()).toEqual(names.map(name => [name, head]));
  expect(unread).toEqual([]);
});

test('unreadable refs are listed without an id, and no link is followed', async () => {
  const gitDir = join(tempDir(), 'git');
  const elsewhere = join(tempDir(), 'elsewhere');
  writeFiles(elsewhere, { 'heads/foreign': `${ID}\n`, HEAD: `${ID}\n` });
  writeFiles(gitDir, { HEAD: 'ref: refs/heads/x\n', 'refs/heads/odd': 'odd\n' });
  mkdirSync(join(gitDir, 'worktrees'));
  symlinkSync(elsewhere, join(gitDir, 'worktrees/link'));
  symlinkSync(elsewhere, join(gitDir, 'refs/link'));
  symlinkSync(join(elsewhere, 'HEAD'), join(gitDir, 'packed-refs'));
  expect(await listPrivateRefs(gitDir)).toEqual({
    refs: new Map([
      ['refs/heads/odd', ''],
      ['refs/link', ''],
    ]),
    unread: ['packed-refs'],
  });
  renameSync(join(gitDir, 'refs'), join(gitDir, 'gone'));
  symlinkSync(elsewhere, join(gitDir, 'refs'));
  expect((await listPrivateRefs(gitDir)).refs).toEqual(new Map());
});

test("reports that there are more refs than the limit, not counting the repository's", async () => {
  const gitDir = join(tempDir(), 'git');
  const many = (folder: string) => Array.from({ length: 5 }, (_, at) => [`${folder}/${at}`, `${ID}\n`]);
  writeFiles(gitDir, { HEAD: 'ref: refs/heads/x\n', ...Object.fromEntries(many('refs/remotes/origin')) });
  expect(await listPrivateRefs(gitDir, 4)).toEqual({ refs: new Map(), unread: [] });
  writeFiles(gitDir, Object.fromEntries(many('refs/heads')));
  expect((await listPrivateRefs(gitDir, 4)).unread).toEqual(['refs beyond the first 4']);
});

test('where there is no git directory there are no refs', async () => {
  expect(await listPrivateRefs(join(tempDir(), 'none'))).toEqual({ refs: new Map(), unread: [] });
});
