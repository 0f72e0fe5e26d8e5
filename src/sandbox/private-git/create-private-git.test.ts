import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fingerprint } from '../../../test/helpers/fingerprint.js';
import { testGit } from '../../../test/helpers/git/test-git.js';
import { commitFiles, git, makeRepository, writeFiles } from '../../../test/helpers/repository.js';
import { BRANCH, makeTwoFaces } from '../../../test/helpers/sandbox/two-faces.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { createPrivateGit } from './create-private-git.js';

const WORK: readonly (readonly [string, string])[] = [
  [
    'commit and amend',
    'echo x >x; git add x; git commit -qm x; git commit -q --amend -m y; git log -1 --format=%s | grep -qx y',
  ],
  [
    'an interactive rebase',
    'for n in 1 2 3; do git commit -q --allow-empty -m $n; done; GIT_SEQUENCE_EDITOR="sed -i 1d" git rebase -q -i --keep-empty HEAD~3',
  ],
  [
    'a merge',
    'git switch -qc other; echo x >x; git add x; git commit -qm x; git switch -q -; git commit -q --allow-empty -m y; git merge -q -m m other',
  ],
  [
    'the stash',
    'echo x >>README.md; git stash -q; git stash pop -q; git diff --quiet && exit 1; git checkout -q README.md',
  ],
  [
    'tags and branches',
    'git tag t; git tag -a -m a u; git branch b; git tag | grep -qx u; git branch -D b -q',
  ],
  [
    'a bisection',
    'for n in 1 2 3 4; do git commit -q --allow-empty -m $n; done; git bisect start HEAD HEAD~4; git bisect run true; git bisect reset',
  ],
  [
    'another worktree',
    'git worktree add -q /tmp/other; git -C /tmp/other status; git worktree remove /tmp/other',
  ],
  ['gc and fsck', 'git commit -q --allow-empty -m x; git gc -q --prune=now; git fsck --strict'],
  ['submodule status', 'git submodule status'],
  [
    'the branches of the repository',
    'git log -1 origin/main; git merge-base HEAD origin/main; git rev-parse v1',
  ],
];

test.for(WORK)(
  '%s works inside, and outside the worktree is an ordinary one',
  async ([, script], context) => {
    const repository = makeRepository();
    git(repository, 'tag', 'v1');
    const faces = await makeTwoFaces(context, repository);
    const before = fingerprint(repository);
    await faces.inside(script);
    expect(git(faces.path, 'rev-parse', '--absolute-git-dir')).toBe(faces.adminDir);
    expect(git(faces.path, 'status', '--porcelain=v2', '--branch')).toContain(`# branch.head ${BRANCH}`);
    expect(fingerprint(repository)).toEqual(before);
  },
);

test('the first status inside reads no file', async context => {
  const repository = makeRepository({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
  const faces = await makeTwoFaces(context, repository);
  const index = join(faces.place.gitDir, 'index');
  expect(readFileSync(index)).toEqual(readFileSync(join(faces.adminDir, 'index')));
  expect(statSync(index).mtimeMs).toBeLessThanOrEqual(statSync(join(faces.adminDir, 'index')).mtimeMs);
  expect(await faces.inside('git status --porcelain; git diff-files --name-only')).toBe('');
  appendFileSync(join(faces.path, 'a.txt'), 'more');
  expect(await faces.inside('git status --porcelain')).toBe(' M a.txt');
});

test("the settings, hooks and refs of the repository can't be changed from inside", async context => {
  const faces = await makeTwoFaces(context);
  const before = fingerprint(faces.repository);
  const attempts = [
    `echo x >>${faces.commonDir}/config`,
    `touch ${faces.commonDir}/hooks/post-checkout`,
    `touch ${join(faces.commonDir, 'objects')}/x`,
    'mv .git .git-aside',
    'rm -f .git',
    'echo "gitdir: /tmp/x" >.git',
  ];
  for (const attempt of attempts) {
    const { exitCode } = await faces.try(`echo started; ${attempt}`);
    expect(exitCode, attempt).not.toBe(0);
  }
  await faces.inside(
    'git config core.fsmonitor /tmp/x; git config --unset core.fsmonitor; git reflog expire --expire=now --all',
  );
  expect(fingerprint(faces.repository)).toEqual(before);
  expect(readFileSync(join(faces.path, '.git'), 'utf8')).toBe(`gitdir: ${faces.adminDir}\n`);
});

test('an object of the repository can be read, but not written, changed in mode, or linked', async context => {
  const faces = await makeTwoFaces(context);
  const id = git(faces.repository, 'rev-parse', 'HEAD');
  const object = `${id.slice(0, 2)}/${id.slice(2)}`;
  const inside = `/run/carrel/parent/objects/${object}`;
  const before = readFileSync(join(faces.commonDir, 'objects', object));
  expect(await faces.inside(`wc -c <${inside}`)).toBe(String(before.length));
  for (const attempt of [
    `echo x >>${inside}`,
    `chmod 777 ${inside}`,
    `ln ${inside} linked`,
    `rm -f ${inside}`,
  ])
    expect((await faces.try(attempt)).exitCode, attempt).not.toBe(0);
  expect(readFileSync(join(faces.commonDir, 'objects', object))).toEqual(before);
});

test('objects pruned inside stay outside', async context => {
  const repository = makeRepository();
  const lost = git(repository, 'commit-tree', git(repository, 'rev-parse', 'HEAD^{tree}'), '-m', 'lost');
  const faces = await makeTwoFaces(context, repository);
  await faces.inside('git reflog expire --expire=now --all; git gc -q --prune=now; git prune --expire=now');
  expect(git(repository, 'cat-file', '-t', lost)).toBe('commit');
  git(repository, 'gc', '--quiet', '--prune=now');
  expect(() => git(repository, 'cat-file', '-t', lost), 'the control').toThrow();
});

test('line endings and committer are as outside', async context => {
  const repository = makeRepository({ 'a.txt': 'a\n' });
  git(repository, 'config', 'core.autocrlf', 'input');
  git(repository, 'config', 'core.fsmonitor', '/nonexistent/monitor');
  git(repository, 'config', 'filter.lfs.clean', 'git-lfs clean');
  writeFiles(repository, { '.git/info/exclude': '*.secret\n' });
  const faces = await makeTwoFaces(context, repository);
  writeFiles(faces.path, { 'my.secret': 'x', 'crlf.txt': 'a\r\n' });
  await faces.inside('git add --all 2>/dev/null; git commit -qm x');
  expect(await faces.inside('git show HEAD:crlf.txt | od -An -c')).toMatch(/^\s+a\s+\\n$/);
  expect(await faces.inside('git show --format=%an:%ae --name-only')).toBe(
    'Test:test@example.com\n\ncrlf.txt',
  );
  expect(await faces.inside('git config --list')).not.toMatch(/fsmonitor|lfs/);
});

test('a repository that borrows objects lends them inside too', async context => {
  const origin = makeRepository();
  const middle = join(tempDir(), 'middle');
  const repository = join(tempDir(), 'repo');
  git('/', 'clone', '--quiet', '--shared', origin, middle);
  commitFiles(middle, { 'b.txt': 'b\n' });
  git('/', 'clone', '--quiet', '--shared', middle, repository);
  commitFiles(repository, { 'c.txt': 'c\n' });
  const faces = await makeTwoFaces(context, repository);
  expect(await faces.inside('git log --format=%s 2>&1')).toBe('change\nchange\nfirst');
  expect(await faces.inside('git commit -q --allow-empty -m x 2>&1')).toBe('');
  expect(await faces.importFromSandbox()).toMatchObject({ outcome: 'imported', commits: 1 });
});

test('an existing one stays unchanged, and a partial one is completed', async context => {
  const faces = await makeTwoFaces(context);
  const request = { ...faces, git: testGit(), branch: BRANCH, commit: faces.base };
  await faces.inside('git commit -q --allow-empty -m x');
  const head = await faces.inside('git rev-parse HEAD');
  await createPrivateGit(request);
  expect(await faces.inside('git rev-parse HEAD')).toBe(head);
  renameSync(faces.place.gitDir, `${faces.place.gitDir}.aside`);
  mkdirSync(`${faces.place.gitDir}.draft`);
  writeFileSync(join(`${faces.place.gitDir}.draft`, 'HEAD'), 'ref: refs/he');
  await createPrivateGit(request);
  expect(await faces.inside('git rev-parse HEAD')).toBe(faces.base);
  expect(readdirSync(faces.place.root).filter(name => name.endsWith('.draft'))).toEqual([]);
  expect(existsSync(join(faces.place.gitDir, 'hooks'))).toBe(false);
});
