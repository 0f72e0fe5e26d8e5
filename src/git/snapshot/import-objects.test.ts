import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testGit } from '../../../test/helpers/git/test-git.js';
import { commitFiles, git, makeRepository, writeFiles } from '../../../test/helpers/repository.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { writePrivateGit } from '../repository/private-git.js';
import type { WorkTreePlace } from '../work-tree-place.js';
import { borrowObjects } from './import-objects.js';

interface Site {
  readonly repository: string;
  readonly place: WorkTreePlace;
  readonly borrow: () => Promise<void>;
}

async function makeSite(): Promise<Site> {
  const repository = makeRepository({ 'a.txt': 'a\n' });
  const directory = tempDir();
  const place = {
    gitDir: join(directory, 'git'),
    workTree: join(directory, 'tree'),
    commonDir: join(repository, '.git'),
  };
  const commit = git(repository, 'rev-parse', 'HEAD');
  await writePrivateGit({ ...place, commit });
  git(place.workTree, 'checkout', '--quiet', '--force', '--detach', commit);
  return { repository, place, borrow: () => borrowObjects(testGit(), place, tempDir()) };
}

/** As if it were the loose object of that name. */
function forge(gitDir: string, id: string, content: Buffer | string): void {
  const file = looseFile(gitDir, id);
  mkdirSync(join(file, '..'), { recursive: true });
  rmSync(file, { force: true });
  writeFileSync(file, content);
}

const looseFile = (gitDir: string, id: string): string =>
  join(gitDir, 'objects', id.slice(0, 2), id.slice(2));

const expectSound = (repository: string) =>
  expect(git(repository, 'fsck', '--full', '--no-dangling')).toBe('');

test('an object that the repository has is never replaced by what a git directory has under its name', async () => {
  const { repository, place, borrow } = await makeSite();
  const blob = git(repository, 'rev-parse', 'HEAD:a.txt');
  forge(place.gitDir, blob, 'garbage');
  await borrow();
  expect(git(repository, 'cat-file', 'blob', blob)).toBe('a');
  expectSound(repository);
});

test("objects that don't match their id are left out, and valid ones are imported", async () => {
  const { repository, place, borrow } = await makeSite();
  const work = commitFiles(place.workTree, { 'work.txt': 'work\n' });
  writeFiles(place.workTree, { 'other.txt': 'other\n' });
  const other = git(place.workTree, 'hash-object', '-w', 'other.txt');
  forge(place.gitDir, 'a'.repeat(40), 'garbage');
  forge(place.gitDir, 'b'.repeat(40), '');
  forge(place.gitDir, 'c'.repeat(40), readFileSync(looseFile(place.gitDir, other)));
  await borrow();
  expect(git(repository, 'show', `${work}:work.txt`)).toBe('work');
  expect(git(repository, 'cat-file', 'blob', other)).toBe('other');
  for (const letter of 'abc') expect(() => git(repository, 'cat-file', '-e', letter.repeat(40))).toThrow();
  expectSound(repository);
});

test.each([3, 120])('%i packed commits are imported, and importing again is harmless', async count => {
  const { repository, place, borrow } = await makeSite();
  const tree = git(place.workTree, 'rev-parse', 'HEAD^{tree}');
  let tip = git(place.workTree, 'rev-parse', 'HEAD');
  for (let at = 0; at < count; at++) tip = git(place.workTree, 'commit-tree', tree, '-p', tip, '-m', `${at}`);
  git(place.workTree, 'update-ref', 'refs/heads/many', tip);
  git(place.workTree, 'repack', '-a', '-d', '-l', '--quiet');
  await borrow();
  await borrow();
  expect(git(repository, 'rev-list', '--count', tip)).toBe(`${count + 1}`);
  expectSound(repository);
});

test('a pack size limit leaves nothing out', async () => {
  const { repository, place, borrow } = await makeSite();
  git(repository, 'config', 'pack.packSizeLimit', '1m');
  const ids = [1, 2, 3].map(at => {
    writeFileSync(join(place.workTree, `${at}.bin`), randomBytes(700_000));
    return git(place.workTree, 'hash-object', '-w', `${at}.bin`);
  });
  await borrow();
  for (const id of ids) expect(git(repository, 'cat-file', '-s', id)).toBe('700000');
});

test('a repository that is gone is not recreated', async () => {
  const { repository, place, borrow } = await makeSite();
  commitFiles(place.workTree, { 'work.txt': 'work\n' });
  rmSync(repository, { recursive: true });
  await expect(borrow()).rejects.toMatchObject({ code: 'NOT_A_REPOSITORY' });
  expect(existsSync(repository)).toBe(false);
});
