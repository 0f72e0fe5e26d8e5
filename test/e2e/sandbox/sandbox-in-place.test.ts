import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { Snapshot } from '../../../src/domain/snapshot/snapshot.js';
import type { Workspace } from '../../../src/domain/workspace/workspace.js';
import { createCarrel } from '../../helpers/carrel.js';
import { PLANT_REPOSITORY } from '../../helpers/escape/planted-repository.js';
import { fingerprint, hashTree } from '../../helpers/fingerprint.js';
import { thoroughTest } from '../../helpers/flavours.js';
import { git, makeRepository, writeFiles } from '../../helpers/repository.js';
import { tempDir } from '../../helpers/temp.js';
import { DESK_FILES, type Fixture, makeFixture } from '../../helpers/workspace/test-workspace.js';
import { requireBubblewrap } from '../../parts/bubblewrap.js';

// `carrel up a --workspace DIR --isolation full`: a directory of the user, used as it is, with a sandbox around its commands.

beforeEach(requireBubblewrap);

const IN_PLACE = ['--workspace', '.', '--isolation', 'full', '--strict'];
const BUBBLEWRAP = 'sandbox:\n  runtime: bubblewrap\n';

const makeInPlace = (repository = makeRepository(DESK_FILES), config = BUBBLEWRAP): Fixture =>
  makeFixture({ repository, up: IN_PLACE, config });

const inside = (fixture: Fixture, script: string) => fixture.run('exec', 'a', '--', 'sh', '-c', script);
const insideOk = (fixture: Fixture, script: string) => fixture.ok('exec', 'a', '--', 'sh', '-ec', script);

test('files are shared at the same path and at /workspace, commits get to its branch, and HEAD and index stay', () => {
  const repository = makeRepository(DESK_FILES);
  writeFiles(repository, { 'README.md': 'edited\n', 'source/one.txt': 'staged\n' });
  git(repository, 'add', 'source/one.txt');
  const before = fingerprint(repository);
  const fixture = makeInPlace(repository);
  expect(fixture.path).toBe(repository);
  expect(insideOk(fixture, 'pwd; git status --porcelain --branch; ls /workspace')).toBe(
    `${repository}\n## carrel/a\n M README.md\nM  source/one.txt\nREADME.md\nsource`,
  );
  insideOk(fixture, 'echo new >new.txt; git add new.txt; git commit -qm inside; cat /workspace/.git/HEAD');
  expect(git(repository, 'log', '--format=%s', 'carrel/a')).toBe('inside\nfirst');
  expect(git(repository, 'show', '--name-only', '--format=', 'carrel/a')).toBe('new.txt\nsource/one.txt');
  expect(readFileSync(join(repository, 'new.txt'), 'utf8')).toBe('new\n');
  const { head, headLog, index, config, hooks, refs } = fingerprint(repository);
  expect({ ...before, head, headLog, index, config, hooks, refs }).toEqual(before);
  expect(fixture.carrel.json<Workspace>(repository, 'show', 'a')).toMatchObject({
    backend: 'direct',
    branch: 'carrel/a',
    isolation: { requested: 'full', effective: 'full', reason: null },
  });
  expect(fixture.ok('diff', 'a', '--name-only')).toBe('README.md\nnew.txt\nsource/one.txt');
  // The way that the guide and the refusal show: the files are there already.
  expect(fixture.carrel.error(repository, 'land', 'a')).toMatchObject({
    code: 'NOT_SUPPORTED',
    hint: expect.stringContaining(`git -C ${repository} reset carrel/a`),
  });
  git(repository, 'reset', '--quiet', 'carrel/a');
  expect(git(repository, 'status', '--porcelain')).toBe(' M README.md');
});

test('nothing outside the directory can be read or written, including the git directory of the user', () => {
  const repository = makeRepository(DESK_FILES);
  const sibling = join(dirname(repository), 'sibling.txt');
  writeFiles(dirname(repository), { 'sibling.txt': 'secret\n' });
  writeFiles(repository, { '.git/hooks/pre-push': 'secret hook\n' });
  git(repository, 'config', 'secret.token', 'secret');
  const fixture = makeInPlace(repository);
  writeFiles(fixture.carrel.home, { 'key.txt': 'secret\n' });
  const hidden = [sibling, join(fixture.carrel.home, 'key.txt'), fixture.carrel.stateDir];
  for (const path of hidden) {
    const { status } = inside(fixture, `echo started; cat ${path} || ls ${path}`);
    expect({ path, status }).toEqual({ path, status: 2 });
  }
  expect(insideOk(fixture, 'grep -rs secret .git /workspace/.git /run/carrel || echo none')).toBe('none');
  const before = hashTree(join(repository, '.git'), new Set(['carrel']));
  const attempts = [
    'mv .git aside',
    'rmdir .git',
    'mv /workspace/.git /workspace/aside',
    `mv ${repository} ${repository}-aside`,
    'umount .git',
  ];
  for (const attempt of attempts) {
    const outcome = inside(fixture, `echo started; ${attempt}`);
    expect({ attempt, failed: outcome.status !== 0 }).toEqual({ attempt, failed: true });
    expect(outcome.stdout).toBe('started\n');
  }
  inside(fixture, 'git config core.fsmonitor /tmp/x; mkdir -p .git/hooks; echo evil >.git/hooks/pre-commit');
  inside(fixture, `echo x >${sibling}; echo x >${sibling}.new`);
  inside(fixture, 'git config core.hooksPath /tmp/x; rm -rf .git/objects /workspace/.git/refs');
  expect(hashTree(join(repository, '.git'), new Set(['carrel']))).toBe(before);
  expect(existsSync(`${sibling}.new`)).toBe(false);
  expect(readFileSync(sibling, 'utf8')).toBe('secret\n');
});

test('repositories, hooks and included configuration of the user in the directory are read-only and stay in their place', () => {
  const repository = makeRepository(DESK_FILES);
  git(repository, 'config', 'core.hooksPath', 'tools/hooks');
  git(repository, 'config', 'include.path', '../settings/git.config');
  writeFiles(repository, { 'tools/hooks/pre-commit': '# mine\n', 'settings/git.config': '[a]\n\tb = c\n' });
  makeRepository({ 'dep.txt': 'dep\n' }, join(repository, 'vendor/dep'));
  git(repository, 'init', '--quiet', '--bare', 'fixtures/bare.git');
  const fixture = makeInPlace(repository);
  const attempts = [
    'echo x >>vendor/dep/.git/config',
    'mv vendor/dep vendor/other',
    'mv vendor other',
    'mv /workspace/vendor/dep/.git /workspace/vendor/dep/other',
    'echo x >>tools/hooks/pre-commit',
    'echo x >tools/hooks/post-checkout',
    'mv tools other',
    'echo x >>settings/git.config',
    'mv settings other',
    'echo x >>fixtures/bare.git/config',
    'mv fixtures other',
  ];
  for (const attempt of attempts) {
    const outcome = inside(fixture, `echo started; ${attempt}`);
    expect({ attempt, failed: outcome.status !== 0 }).toEqual({ attempt, failed: true });
    expect(outcome.stdout).toBe('started\n');
  }
  expect(
    insideOk(fixture, 'git -C vendor/dep log --format=%s; echo more >>vendor/dep/dep.txt; echo x >tools/x'),
  ).toBe('first');
  expect(git(join(repository, 'vendor/dep'), 'status', '--porcelain')).toBe(' M dep.txt');
  expect(git(join(repository, 'fixtures/bare.git'), 'rev-parse', '--is-bare-repository')).toBe('true');
});

thoroughTest(
  'a repository that was made inside runs nothing outside, at the top of a directory without git too',
  () => {
    const directory = tempDir();
    writeFiles(directory, { 'file.txt': 'x\n' });
    const fixture = makeInPlace(directory);
    const user = 'git config --global user.name a; git config --global user.email a@example.com';
    const planted = inside(
      fixture,
      `${user}\n${PLANT_REPOSITORY}\nplant . "$PWD/ran"; plant sub "$PWD/ran"; rm -f ran`,
    );
    expect(planted.status).toBe(0);
    for (const place of ['.', 'sub'])
      expect(() => git(join(directory, place), 'status')).toThrow('not a git repository');
    expect(existsSync(join(directory, 'ran'))).toBe(false);
    expect(insideOk(fixture, 'git -c core.fsmonitor= log --format=%s 2>/dev/null')).toBe('nested');
    expect(fixture.ok('down', 'a')).toBe('');
    expect(readFileSync(join(directory, 'file.txt'), 'utf8')).toBe('x\n');
  },
);

thoroughTest(
  'a part of a checkout has no git inside, and what appears there as git is not used outside',
  () => {
    const repository = makeRepository(DESK_FILES);
    const before = fingerprint(repository);
    const carrel = createCarrel();
    const part = join(repository, 'source');
    const workspace = carrel.json<Workspace>(part, 'up', 'a', ...IN_PLACE);
    expect(workspace).toMatchObject({ path: part, branch: null });
    expect(workspace.warnings.join()).toContain('there is no git inside the sandbox');
    const script =
      'git status; cat ../README.md; git init -q .; git config core.fsmonitor ./evil; echo y >one.txt';
    const { stderr } = carrel.run(part, 'exec', 'a', '--', 'sh', '-c', script);
    expect(stderr).toContain('not a git repository');
    expect(stderr).toContain('../README.md');
    expect(carrel.json<Workspace>(part, 'show', 'a')).toMatchObject({ changes: { unstaged: 1 } });
    expect(git(part, 'rev-parse', '--show-toplevel')).toBe(repository);
    expect(
      carrel.error(repository, 'up', 'b', '--workspace', part, '--isolation', 'full', '--branch', 'x'),
    ).toMatchObject({ code: 'NOT_SUPPORTED' });
    const { head, config, refs } = fingerprint(repository);
    expect({ head, config, refs }).toEqual({ head: before.head, config: before.config, refs: before.refs });
  },
);

thoroughTest('a linked worktree has a private git too, and its pointer stays', () => {
  const repository = makeRepository(DESK_FILES);
  const worktree = join(tempDir(), 'worktree');
  git(repository, 'worktree', 'add', '--quiet', '-b', 'side', worktree);
  const pointer = readFileSync(join(worktree, '.git'), 'utf8');
  const fixture = makeInPlace(worktree);
  expect(inside(fixture, 'rm -f .git; echo "gitdir: /tmp/x" >.git')).toMatchObject({ status: 2 });
  insideOk(fixture, 'git commit -q --allow-empty -m inside');
  expect(git(repository, 'log', '-1', '--format=%s', 'carrel/a')).toBe('inside');
  expect(readFileSync(join(worktree, '.git'), 'utf8')).toBe(pointer);
  expect(git(worktree, 'status', '--porcelain', '--branch')).toBe('## side');
});

thoroughTest('two workspaces on one directory share its files and have separate branches', () => {
  const repository = makeRepository(DESK_FILES);
  const fixture = makeInPlace(repository);
  fixture.ok('up', 'b', ...IN_PLACE);
  insideOk(fixture, 'echo a >a.txt; git add a.txt; git commit -qm from-a');
  fixture.ok(
    'exec',
    'b',
    '--',
    'sh',
    '-ec',
    'cat a.txt; echo b >b.txt; git add b.txt; git commit -qm from-b',
  );
  expect(git(repository, 'log', '-1', '--format=%s', 'carrel/a')).toBe('from-a');
  expect(git(repository, 'log', '--format=%s', 'carrel/b')).toBe('from-b\nfirst');
  fixture.ok('down', 'a');
  fixture.ok('down', 'b');
  expect(git(repository, 'for-each-ref', 'refs/carrel/workspaces')).toBe('');
  // The branches hold work, so a workspace of the same name needs another one.
  expect(fixture.carrel.error(repository, 'up', 'a', ...IN_PLACE)).toMatchObject({ code: 'BRANCH_EXISTS' });
  fixture.ok('up', 'a', ...IN_PLACE, '--branch', 'second');
});

thoroughTest(
  'the branch is not moved while it is checked out, and commits made outside are not dropped',
  () => {
    const repository = makeRepository(DESK_FILES);
    const fixture = makeInPlace(repository);
    insideOk(fixture, 'git commit -q --allow-empty -m one');
    git(repository, 'switch', '--quiet', 'carrel/a');
    expect(inside(fixture, 'git commit -q --allow-empty -m two').stderr).toContain(
      `carrel/a is checked out in ${repository}`,
    );
    expect(git(repository, 'log', '-1', '--format=%s')).toBe('one');
    git(repository, 'commit', '--quiet', '--allow-empty', '-m', 'outside');
    git(repository, 'switch', '--quiet', 'main');
    expect(inside(fixture, 'git log -1 --format=%s')).toMatchObject({
      stdout: 'two\n',
      stderr: expect.stringContaining('git merge origin/carrel/a'),
    });
    insideOk(fixture, 'git merge -q -m merged origin/carrel/a');
    expect(git(repository, 'log', '--format=%s', 'carrel/a').split('\n').sort()).toEqual(
      ['first', 'merged', 'one', 'outside', 'two'].sort(),
    );
  },
);

thoroughTest(
  'there is a snapshot from before the first use and one from the removal, which holds what is only inside',
  () => {
    const repository = makeRepository(DESK_FILES);
    writeFiles(repository, { 'mine.txt': 'mine\n' });
    const fixture = makeInPlace(repository);
    insideOk(fixture, 'echo agent >mine.txt; echo x >>README.md; git stash -q -- README.md; echo hi >~/note');
    expect(fixture.carrel.error(repository, 'down', 'a')).toMatchObject({ code: 'REMOVAL_REFUSED' });
    fixture.ok('down', 'a', '--discard-commits');
    expect(readFileSync(join(repository, 'mine.txt'), 'utf8')).toBe('agent\n');
    expect(existsSync(join(fixture.carrel.stateDir, 'sandboxes', fixture.id))).toBe(false);
    const snapshots = fixture.carrel.json<Snapshot[]>(repository, 'snapshots');
    expect(snapshots.map(({ reason }) => reason).sort()).toEqual(['down', 'up']);
    const first = snapshots.find(({ reason }) => reason === 'up')?.id as string;
    const early = fixture.ok('restore', first, '--as', 'early');
    expect(readFileSync(join(early, 'mine.txt'), 'utf8')).toBe('mine\n');
    fixture.ok('restore', 'a', '--as', 'late');
    expect(fixture.ok('exec', 'late', '--', 'sh', '-c', 'git stash list; cat ~/note mine.txt')).toContain(
      'hi\nagent',
    );
    expect(fixture.ok('exec', 'late', '--', 'git', 'stash', 'list')).toContain('stash@{0}');
  },
);

thoroughTest(
  'with surgical the branch is that of the repository at once, and configuration and hooks are read-only',
  () => {
    const repository = makeRepository(DESK_FILES);
    writeFiles(repository, { '.git/hooks/pre-push': '# the hook\n' });
    const before = fingerprint(repository);
    const fixture = makeInPlace(repository, `${BUBBLEWRAP}  git: surgical\n`);
    expect(insideOk(fixture, 'cat "$(git rev-parse --git-common-dir)/hooks/pre-push"')).toBe('# the hook');
    insideOk(fixture, 'git commit -q --allow-empty -m inside');
    expect(git(repository, 'log', '-1', '--format=%s', 'carrel/a')).toBe('inside');
    for (const attempt of [
      'git config a.b c',
      'echo x >>"$(git rev-parse --git-common-dir)/hooks/pre-push"',
      'touch "$(git rev-parse --git-common-dir)/commondir"',
      'git update-ref refs/carrel/x HEAD',
      'mv .git aside',
    ])
      expect({ attempt, failed: inside(fixture, attempt).status !== 0 }).toEqual({ attempt, failed: true });
    expect(fingerprint(repository)).toEqual(before);
    fixture.ok('down', 'a');
    expect(git(repository, 'branch', '--list', 'carrel/a')).toContain('carrel/a');
    fixture.ok('up', 'unused', ...IN_PLACE);
    fixture.ok('down', 'unused');
    expect(git(repository, 'branch', '--list', 'carrel/unused')).toBe('');
  },
);

thoroughTest(
  'a directory with more than one project is refused, and so is one that cannot be protected',
  () => {
    const carrel = createCarrel();
    writeFiles(carrel.home, { 'config/carrel/config.yaml': BUBBLEWRAP });
    const linked = makeRepository(DESK_FILES);
    symlinkSync(tempDir(), join(linked, 'source/.git'));
    const hooked = makeRepository(DESK_FILES);
    git(hooked, 'config', 'core.hooksPath', 'nowhere/hooks');
    const bare = join(tempDir(), 'bare');
    git('/', 'init', '--quiet', '--bare', bare);
    const repository = makeRepository(DESK_FILES);
    const workspace = carrel.ok(repository, 'up', 'other');
    mkdirSync(join(workspace, 'part'));
    chmodSync(join(workspace, 'part'), 0o700);
    const cases = {
      '/': 'contains your home directory',
      [carrel.home]: 'is your home directory',
      [dirname(carrel.home)]: 'contains your home directory',
      [carrel.stateDir]: "is a directory of Carrel's own",
      [join(workspace, 'part')]: "is a part of Carrel's own files",
      '/etc': 'is a directory of the system',
      [linked]: 'has a symbolic link at source/.git',
      [hooked]: 'names nowhere/hooks, which does not exist or is a symbolic link',
      [bare]: 'is a bare repository',
    };
    for (const [directory, problem] of Object.entries(cases)) {
      const error = carrel.error(repository, 'up', 'a', '--workspace', directory, '--isolation', 'full');
      expect(error).toMatchObject({ status: 2, code: 'UNSAFE_DIRECTORY' });
      expect(error.message).toContain(problem);
    }
    writeFiles(carrel.home, { 'config/carrel/config.yaml': `${BUBBLEWRAP}  nested: allow\n` });
    const nested = carrel.error(repository, 'up', 'a', '--workspace', '.', '--isolation', 'full');
    expect(nested.message).toContain('would not be protected with sandbox.nested: allow');
    expect(carrel.json<Workspace[]>(repository, 'ls').map(({ name }) => name)).toEqual(['other']);
    expect(git(hooked, 'for-each-ref', 'refs/carrel')).toBe('');
  },
);
