import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fingerprint } from '../../../test/helpers/fingerprint.js';
import { commitFiles, git, gitEnv, makeRepository } from '../../../test/helpers/repository.js';
import { makeTwoFaces, WORKSPACE } from '../../../test/helpers/sandbox/two-faces.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { cleanUpIncoming } from '../incoming/clean-up-incoming.js';
import { incomingDir } from '../incoming/incoming-repository.js';

const COMMIT = 'echo new >>new.txt; git add .; git commit -qm';

test('commits made inside are on the branch outside, and nothing else in the repository has changed', async context => {
  const faces = await makeTwoFaces(context);
  const before = fingerprint(faces.repository);
  await faces.inside(`${COMMIT} one; ${COMMIT} two`);
  const taken = await faces.importFromSandbox();
  expect(taken).toEqual({ outcome: 'imported', from: faces.base, to: faces.tip(), commits: 2 });
  expect(git(faces.repository, 'log', '--format=%s', 'carrel/a')).toBe('two\none\nfirst');
  expect(git(faces.repository, 'rev-parse', `refs/carrel/workspaces/${WORKSPACE}/taken`)).toBe(faces.tip());
  expect(fingerprint(faces.repository)).toEqual(before);
  expect(git(faces.repository, 'fsck', '--strict')).toBe('');
  expect(existsSync(join(faces.commonDir, 'carrel'))).toBe(false);
  expect(listKept(faces.commonDir)).toEqual([]);
});

test('without a new commit nothing is run', async context => {
  const faces = await makeTwoFaces(context);
  const run = () => Promise.reject(new Error('it was run'));
  expect(await faces.importFromSandbox({ run })).toEqual({ outcome: 'unchanged', tip: faces.base });
  await faces.inside(`${COMMIT} one`);
  await faces.importFromSandbox();
  expect(await faces.importFromSandbox({ run })).toEqual({ outcome: 'unchanged', tip: faces.tip() });
});

test('what was rewritten inside is rewritten outside', async context => {
  const faces = await makeTwoFaces(context);
  await faces.inside(`${COMMIT} one; ${COMMIT} two`);
  await faces.importFromSandbox();
  await faces.inside('git reset -q --soft HEAD~2; git commit -qm squashed');
  expect(await faces.importFromSandbox()).toMatchObject({ outcome: 'imported', commits: 1 });
  expect(git(faces.repository, 'log', '--format=%s', 'carrel/a')).toBe('squashed\nfirst');
  await faces.inside('git reset -q --hard HEAD~1');
  expect(await faces.importFromSandbox()).toMatchObject({ outcome: 'imported', to: faces.base, commits: 0 });
});

test("commits on another branch inside are imported to the workspace's branch", async context => {
  const faces = await makeTwoFaces(context);
  await faces.inside(`git switch -qc feature; ${COMMIT} one`);
  expect(await faces.importFromSandbox()).toMatchObject({ outcome: 'imported', commits: 1 });
});

test("a branch inside that does not contain the workspace's branch does not replace it", async context => {
  const faces = await makeTwoFaces(context);
  await faces.inside(`${COMMIT} one; git switch -qc other origin/main; git commit -q --allow-empty -m apart`);
  expect(await faces.importFromSandbox()).toMatchObject({ outcome: 'imported', commits: 1 });
  expect(git(faces.repository, 'log', '--format=%s', 'carrel/a')).toBe('one\nfirst');
  expect(await faces.importFromSandbox()).toMatchObject({ outcome: 'unchanged' });
  await faces.inside('git merge -q -m both carrel/a');
  expect(await faces.importFromSandbox()).toMatchObject({ outcome: 'imported', commits: 2 });
});

test('during a bisect or a rebase the branch stays where it is', async context => {
  const faces = await makeTwoFaces(context);
  await faces.inside(`${COMMIT} one; ${COMMIT} two; ${COMMIT} three`);
  await faces.importFromSandbox();
  const tip = faces.tip();
  await faces.inside('git bisect start HEAD HEAD~3 2>&1');
  expect(await faces.importFromSandbox()).toEqual({ outcome: 'unchanged', tip });
  await faces.inside('git bisect reset; ! git rebase -q --exec false HEAD~2');
  expect(await faces.importFromSandbox()).toEqual({ outcome: 'unchanged', tip });
  await faces.inside('git rebase --abort; git checkout -q --orphan nothing');
  expect(await faces.importFromSandbox()).toEqual({ outcome: 'unchanged', tip });
});

test('commits rebased onto another branch are neither checked nor sent again', async context => {
  const repository = makeRepository();
  git(repository, 'branch', 'old');
  for (let at = 0; at < 5; at++) commitFiles(repository, { [`main-${at}`]: 'x' }, `main ${at}`);
  git(repository, 'switch', '--quiet', 'old');
  const faces = await makeTwoFaces(context, repository);
  await faces.inside(`${COMMIT} one; git rebase -q origin/main`);
  expect(await faces.importFromSandbox({ limits: { commits: 1 } })).toMatchObject({
    outcome: 'imported',
    commits: 1,
  });
});

test('commits that the user made outside are never left behind', async context => {
  const faces = await makeTwoFaces(context);
  await faces.inside(`${COMMIT} inside`);
  const outside = commitOutside(faces.repository, faces.base);
  git(faces.repository, 'update-ref', 'refs/heads/carrel/a', outside);
  expect(await faces.importFromSandbox()).toEqual({
    outcome: 'refused',
    problems: ['the branch carrel/a has commits from outside the sandbox that are missing inside it'],
    unmerged: 'origin/carrel/a',
  });
  expect(faces.tip()).toBe(outside);
  await faces.inside(`git merge -q -m both ${outside}`);
  expect(await faces.importFromSandbox()).toMatchObject({ outcome: 'imported', from: outside, commits: 2 });
});

test('a branch that was deleted outside is created again', async context => {
  const faces = await makeTwoFaces(context);
  await faces.inside(`${COMMIT} one`);
  git(faces.repository, 'update-ref', '-d', 'refs/heads/carrel/a');
  expect(await faces.importFromSandbox()).toMatchObject({
    outcome: 'imported',
    from: faces.base,
    to: faces.tip(),
  });
});

test('two concurrent imports both succeed', async context => {
  const faces = await makeTwoFaces(context);
  await faces.inside(`${COMMIT} one`);
  const results = await Promise.all([
    faces.importFromSandbox(),
    faces.importFromSandbox(),
    faces.importFromSandbox(),
  ]);
  expect(results.map(result => result.outcome)).not.toContain('refused');
  expect(results.map(result => result.outcome)).toContain('imported');
  expect(git(faces.repository, 'log', '--format=%s', 'carrel/a')).toBe('one\nfirst');
  expect(existsSync(join(faces.commonDir, 'carrel'))).toBe(false);
  expect(listKept(faces.commonDir)).toEqual([]);
});

test('an import while the agent keeps committing succeeds, and so does the next one', async context => {
  const faces = await makeTwoFaces(context);
  await faces.inside(`${COMMIT} one`);
  const [first] = await Promise.all([
    faces.importFromSandbox(),
    faces.inside(`for n in 1 2 3 4 5; do ${COMMIT} more; done`),
  ]);
  expect(first.outcome).toBe('imported');
  await faces.importFromSandbox();
  expect(faces.tip()).toBe(await faces.inside('git rev-parse HEAD'));
});

test('programs that the agent names in its git directory are not run by the host', async context => {
  const faces = await makeTwoFaces(context);
  const marker = join(tempDir(), 'marker');
  const trap = join(tempDir(), 'trap');
  writeFileSync(trap, `#!/bin/sh\necho sprung >>${marker}\n`);
  chmodSync(trap, 0o755);
  await faces.inside(`${COMMIT} one`);
  const { gitDir } = faces.place;
  for (const key of [
    'core.fsmonitor',
    'core.sshCommand',
    'core.editor',
    'gpg.program',
    'credential.helper',
    'uploadpack.packObjectsHook',
  ])
    git(gitDir, `--git-dir=${gitDir}`, 'config', key, trap);
  mkdirSync(join(gitDir, 'hooks'), { recursive: true });
  for (const hook of [
    'pre-push',
    'pre-receive',
    'update',
    'post-receive',
    'reference-transaction',
    'post-index-change',
  ])
    symlinkSync(trap, join(gitDir, 'hooks', hook));
  expect(await faces.importFromSandbox()).toMatchObject({ outcome: 'imported' });
  expect(existsSync(marker)).toBe(false);
  const control = [`--git-dir=${gitDir}`, `--work-tree=${faces.path}`, 'status'];
  spawnSync('git', control, { env: gitEnv() });
  expect(existsSync(marker), 'control: git on that directory runs the trap').toBe(true);
});

test("a git directory whose refs are a link to the repository's changes none of them", async context => {
  const faces = await makeTwoFaces(context);
  const before = git(faces.repository, 'for-each-ref');
  await faces.inside(`${COMMIT} one`);
  const refs = join(faces.place.gitDir, 'refs');
  renameSync(refs, `${refs}.aside`);
  symlinkSync(join(faces.commonDir, 'refs'), refs);
  expect((await faces.importFromSandbox()).outcome).not.toBe('imported');
  await faces.try(
    'git update-ref refs/heads/main HEAD~1; git branch -D carrel/a; git commit --allow-empty -qm x',
  );
  expect(git(faces.repository, 'for-each-ref')).toBe(before);
  rmSync(refs);
  renameSync(`${refs}.aside`, refs);
  expect(await faces.importFromSandbox(), 'the control').toMatchObject({ outcome: 'imported' });
});

test.for(['a FIFO', 'a link', 'a directory', 'nothing', 'garbage'] as const)(
  'a HEAD inside that is %s does not block, and nothing is imported',
  async (kind, context) => {
    const faces = await makeTwoFaces(context);
    const head = join(faces.place.gitDir, 'HEAD');
    rmSync(head);
    if (kind === 'a FIFO') spawnSync('mkfifo', [head]);
    if (kind === 'a link') symlinkSync('/etc/passwd', head);
    if (kind === 'a directory') mkdirSync(head);
    if (kind === 'garbage') writeFileSync(head, 'ref: refs/../../../../etc/passwd\n');
    const result = await faces.importFromSandbox({ limits: { timeMs: 10_000 } });
    expect(result.outcome).not.toBe('imported');
    expect(faces.tip()).toBe(faces.base);
  },
);

test.for(['HEAD', 'config', 'packed-refs', 'refs/heads/carrel/a'])(
  'a %s inside that is a named pipe is refused without blocking',
  async (name, context) => {
    const faces = await makeTwoFaces(context);
    await faces.inside(`${COMMIT} one`);
    const file = join(faces.place.gitDir, name);
    rmSync(file);
    spawnSync('mkfifo', [file]);
    const run = () => Promise.reject(new Error('it was run'));
    expect(await faces.importFromSandbox({ run })).toEqual({
      outcome: 'refused',
      problems: [`${name} in the sandbox's git directory is a named pipe, a socket or a device`],
    });
  },
);

test('an import that timed out is not retried until something changes', async context => {
  const faces = await makeTwoFaces(context);
  await faces.inside(`${COMMIT} one`);
  const silent: typeof faces.run = ({ signal }) =>
    faces.run({ command: ['sleep', '600'], signal, stdin: 'inherit' });
  const limits = { timeMs: 300, patienceMs: 300 };
  const late = 'git inside did not send them within 0.3 seconds';
  expect(await faces.importFromSandbox({ run: silent, limits })).toEqual({
    outcome: 'refused',
    problems: [late],
  });
  const run = () => Promise.reject(new Error('it was run'));
  expect(await faces.importFromSandbox({ run })).toEqual({
    outcome: 'refused',
    problems: [late, 'nothing has changed since, so it was not retried'],
  });
  await faces.inside(`${COMMIT} two`);
  expect(await faces.importFromSandbox()).toMatchObject({ outcome: 'imported', commits: 2 });
});

test('files of dead processes are deleted, and those of running ones stay', async context => {
  const faces = await makeTwoFaces(context);
  const parent = incomingDir(faces.commonDir, WORKSPACE);
  const ended = spawnSync('true');
  const namespace = /carrel-\d+-(\d+)-/;
  await faces.inside(`${COMMIT} one`);
  const names: string[] = [];
  const run: typeof faces.run = async request => {
    names.push(...readdirSync(parent));
    const own = namespace.exec(names[0] ?? '')?.[1];
    mkdirSync(join(parent, `carrel-${ended.pid}-${own}-abcdef`, 'objects', 'pack'), { recursive: true });
    await cleanUpIncoming(faces.commonDir, WORKSPACE);
    expect(readdirSync(parent)).toEqual(names);
    return faces.run(request);
  };
  expect(await faces.importFromSandbox({ run })).toMatchObject({ outcome: 'imported' });
  expect(names).toHaveLength(1);
});

test('importing works in a SHA-256, a shallow and a partial repository too', async context => {
  const sha256 = join(tempDir(), 'repo');
  git('/', 'init', '--quiet', '--object-format=sha256', sha256);
  commitFiles(sha256, { 'a.txt': 'a\n' }, 'first');
  const origin = makeRepository();
  commitFiles(origin, { 'README.md': 'two\n', 'other.txt': 'x' }, 'second');
  git(origin, 'config', 'uploadpack.allowFilter', 'true');
  const clones = ['--depth=1', '--filter=blob:none'].map(flag => {
    const clone = join(tempDir(), 'clone');
    git('/', 'clone', '--quiet', flag, `file://${origin}`, clone);
    return clone;
  });
  for (const repository of [sha256, ...clones]) {
    const faces = await makeTwoFaces(context, repository);
    await faces.inside(`${COMMIT} one`);
    expect(await faces.importFromSandbox()).toMatchObject({ outcome: 'imported', commits: 1 });
  }
});

function commitOutside(repository: string, parent: string): string {
  const tree = git(repository, 'rev-parse', `${parent}^{tree}`);
  return git(repository, 'commit-tree', tree, '-p', parent, '-m', 'outside');
}

function listKept(commonDir: string): string[] {
  return readdirSync(join(commonDir, 'objects', 'pack')).filter(name => name.endsWith('.keep'));
}
