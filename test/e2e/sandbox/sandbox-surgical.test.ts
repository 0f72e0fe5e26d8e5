import { execFileSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { Workspace } from '../../../src/domain/workspace/workspace.js';
import { createCarrel } from '../../helpers/carrel.js';
import { fingerprint } from '../../helpers/fingerprint.js';
import { sampleOf, thoroughTest } from '../../helpers/flavours.js';
import { type JjForm, jj, jjEnv, makeJjRepository, requireJj } from '../../helpers/git/jj.js';
import { commitFiles, git, makeRepository, writeFiles } from '../../helpers/repository.js';
import { tempDir } from '../../helpers/temp.js';
import { DESK_FILES, makeFixture } from '../../helpers/workspace/test-workspace.js';
import { requireBubblewrap } from '../../parts/bubblewrap.js';

beforeEach(requireBubblewrap);

const FULL = ['--isolation', 'full', '--strict'];
const SURGICAL = 'sandbox:\n  runtime: bubblewrap\n  git: surgical\n';

function makeSurgical(repository = makeRepository(DESK_FILES)) {
  const fixture = makeFixture({ repository, up: FULL, config: SURGICAL });
  return {
    ...fixture,
    inside: (script: string) => fixture.run('exec', 'a', '--', 'sh', '-c', script),
    /** Whether a script fails inside that does what it says outside. */
    fails: (script: string) => fixture.run('exec', 'a', '--', 'sh', '-ec', script).status !== 0,
  };
}

test('commits made inside are on the branch outside at once, and up warns about it', () => {
  const repository = makeRepository(DESK_FILES);
  const before = fingerprint(repository);
  const fixture = makeSurgical(repository);
  const script =
    'echo more >> README.md; git commit -qam one; git stash list; git tag mine; git branch other; git log -1 --format=%s';
  expect(fixture.inside(script)).toMatchObject({ stdout: 'one\n', status: 0 });
  expect(git(repository, 'log', '--format=%s', '-1', 'carrel/a')).toBe('one');
  expect(fixture.git('status', '--porcelain')).toBe('');
  expect(fixture.carrel.json<Workspace>(repository, 'show', 'a').warnings.join()).toContain('surgical');
  git(repository, 'tag', '-d', 'mine');
  git(repository, 'branch', '-D', 'other');
  fixture.ok('land', 'a', '--into', 'main', '--keep');
  git(repository, 'reset', '-q', '--hard', 'HEAD~1');
  expect(fingerprint(repository).files).toEqual(before.files);
});

test('files and hooks of the repository can be read inside, and not written', () => {
  const repository = makeRepository(DESK_FILES);
  writeFiles(repository, { '.git/hooks/pre-push': '# the hook\n', 'tool.sh': '# the script\n' });
  const { inside, fails } = makeSurgical(repository);
  expect(inside(`cat ${repository}/tool.sh ${repository}/.git/hooks/pre-push`)).toMatchObject({
    stdout: '# the script\n# the hook\n',
    status: 0,
  });
  for (const name of ['tool.sh', 'new.txt', '.git/hooks/pre-push'])
    expect({ name, fails: fails(`echo x >> ${repository}/${name}`) }).toEqual({ name, fails: true });
});

thoroughTest('nothing can be written that the user’s git takes instructions from, there or not', () => {
  const repository = makeRepository(DESK_FILES);
  rmSync(join(repository, '.git', 'hooks'), { recursive: true, force: true });
  const { id, fails, inside, path } = makeSurgical(repository);
  const common = join(repository, '.git');
  const admin = join(common, 'worktrees', id);
  expect(inside(`touch ${common}/refs/heads/.probe ${path}/probe && echo started`).stdout).toBe('started\n');
  const targets = [
    join(repository, 'README.md'),
    join(repository, 'new.txt'),
    ...[
      'config',
      'config.worktree',
      'hooks/post-checkout',
      'info/attributes',
      'commondir',
      'HEAD',
      'index',
    ].map(name => join(common, name)),
    ...['commondir', 'gitdir', 'config.worktree'].map(name => join(admin, name)),
    join(common, 'worktrees', 'other'),
    join(common, 'refs/carrel/planted'),
    join(path, '.git'),
  ];
  for (const target of targets) {
    expect({ target, fails: fails(`mkdir -p ${dirname(target)}; echo planted >> ${target}`) }).toEqual({
      target,
      fails: true,
    });
  }
  for (const moved of [admin, join(common, 'worktrees'), join(common, 'refs'), join(path, '.git')])
    expect({ moved, fails: fails(`mv ${moved} ${moved}-away`) }).toEqual({ moved, fails: true });
  expect(fails('git config user.name planted')).toBe(true);
  expect(existsSync(join(common, 'hooks'))).toBe(false);
});

thoroughTest('the known weakness: a ref of the repository can be moved', () => {
  const repository = makeRepository(DESK_FILES);
  git(repository, 'checkout', '-q', '--detach');
  const first = git(repository, 'rev-parse', 'main');
  commitFiles(repository, { 'second.txt': 'second\n' }, 'second');
  git(repository, 'branch', '-f', 'main');
  const { inside } = makeSurgical(repository);
  expect(inside(`git update-ref refs/heads/main ${first}`).status).toBe(0);
  expect(git(repository, 'rev-parse', 'main')).toBe(first);
});

thoroughTest('it is snapshotted, removed and restored like others', () => {
  const fixture = makeSurgical();
  fixture.inside('echo c > c.txt; git add c.txt; git commit -qm c; echo d > d.txt');
  expect(fixture.carrel.error(fixture.repository, 'down', 'a')).toMatchObject({ code: 'REMOVAL_REFUSED' });
  fixture.ok('down', 'a', '--discard-changes', '--discard-commits');
  expect(git(fixture.repository, 'branch', '--list', 'carrel/a')).toBe('');
  fixture.ok('restore', 'a');
  expect(fixture.inside('cat d.txt; git log -1 --format=%s').stdout).toBe('d\nc\n');
});

/** A jj repository and its workspace `a`, of which jj inside is the repository's own. */
function makeJjSite(form: JjForm) {
  const home = tempDir();
  const carrel = createCarrel(home, { ...jjEnv(), HOME: home });
  const program = execFileSync('sh', ['-c', 'realpath "$(command -v jj)"'], { encoding: 'utf8' }).trim();
  const config = `${SURGICAL}  readable: [${dirname(dirname(program))}]\n`;
  writeFiles(home, { 'config/carrel/config.yaml': config });
  const repository = makeJjRepository(form, { 'README.md': 'hello\n' });
  const made = carrel.json<Workspace>(repository, 'up', 'a', ...FULL);
  const inside = (script: string) => carrel.run(repository, 'exec', 'a', '--', 'sh', '-ec', script);
  return { carrel, repository, made, inside };
}

for (const form of sampleOf<JjForm>(['plain', 'colocated'])) {
  test(`in a ${form} jj repository jj inside is the repository’s own, but for its configuration`, context => {
    requireJj(context);
    const { carrel, repository, made, inside } = makeJjSite(form);
    expect(made.backend).toBe('jj');
    const id = inside('echo a > a.txt; jj --quiet commit -m inside; jj log --no-graph -r @- -T change_id');
    expect(id).toMatchObject({ status: 0, stderr: '' });
    expect(
      jj(repository, '--ignore-working-copy', 'log', '--no-graph', '-r', id.stdout, '-T', 'description'),
    ).toBe('inside');
    for (const target of [
      join(repository, '.jj', 'repo', 'config.toml'),
      join(repository, '.jj', 'repo', 'config-id'),
      join(repository, '.jj', 'repo', 'store', 'git_target'),
      join(repository, '.jj', 'working_copy', 'planted'),
      join(made.path, '.jj', 'repo'),
      join(made.path, '.jj', 'workspace-config.toml'),
    ])
      expect({ target, status: inside(`echo planted > ${target}`).status }).not.toMatchObject({ status: 0 });
    expect(carrel.json(repository, 'land', 'a')).toMatchObject({ into: 'main' });
    expect(jj(repository, 'file', 'list', '-r', 'main')).toContain('a.txt');
  });
}
