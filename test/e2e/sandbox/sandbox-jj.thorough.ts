import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { LandResult } from '../../../src/domain/report/result.js';
import type { Workspace, WorkspaceDetails } from '../../../src/domain/workspace/workspace.js';
import { createCarrel } from '../../helpers/carrel.js';
import { describeUser, type JjForm, jj, jjEnv, makeJjRepository, requireJj } from '../../helpers/git/jj.js';
import { git, writeFiles } from '../../helpers/repository.js';
import { tempDir } from '../../helpers/temp.js';
import { requireBubblewrap } from '../../parts/bubblewrap.js';

beforeEach(requireJj);
beforeEach(requireBubblewrap);

const FULL = ['--isolation', 'full', '--strict'];

/** Where the jj that the tests run was installed, with the libraries that it may bring, so that it can be seen inside. */
const findJj = (): string =>
  dirname(dirname(realpathSync(execFileSync('sh', ['-c', 'command -v jj'], { encoding: 'utf8' }).trim())));

/** A jj repository and its sandboxed workspace `a`. */
function makeSite(form: JjForm, hasJjInside = true) {
  const home = tempDir();
  const carrel = createCarrel(home, { ...jjEnv(), HOME: home });
  const readable = hasJjInside ? `  readable: [${findJj()}]\n` : '';
  writeFiles(home, { 'config/carrel/config.yaml': `sandbox:\n  runtime: bubblewrap\n${readable}` });
  const repository = makeJjRepository(form, { 'README.md': 'hello\n', 'source/one.txt': 'one\n' });
  const before = describeUser(repository, form);
  const made = carrel.json<Workspace>(repository, 'up', 'a', ...FULL);
  return {
    ...{ carrel, repository, before, made, path: made.path },
    inside: (script: string) => carrel.ok(repository, 'exec', 'a', '--', 'sh', '-ec', script),
    privateJj: join(carrel.stateDir, 'sandboxes', made.id, 'jj'),
  };
}

const logOf = (repository: string, revset: string, template: string): string =>
  jj(repository, '--ignore-working-copy', 'log', '--no-graph', '-r', revset, '-T', template);

for (const form of ['plain', 'colocated'] as const) {
  describe(`a ${form} jj repository`, () => {
    test('is a git worktree outside and has its own jj inside, whose changes are imported unchanged', () => {
      const { carrel, repository, before, made, path, inside, privateJj } = makeSite(form);
      expect(made).toMatchObject({ backend: 'git', branch: 'carrel/a', base: { ref: 'main' } });
      expect(made.warnings.join()).not.toContain('jj');
      expect(inside('jj status')).toContain('The working copy has no changes.');
      const id = inside(
        "echo a > a.txt; jj --quiet commit -m 'by jj'; jj log --no-graph -r @- -T change_id; echo b > b.txt",
      );
      expect(logOf(repository, 'carrel/a', 'change_id')).toBe(id);
      expect(logOf(repository, 'carrel/a', 'description')).toBe('by jj');
      expect(git(path, 'status', '--porcelain')).toBe('?? b.txt');
      expect(readdirSync(join(path, '.jj'))).toEqual([]);
      expect(readdirSync(privateJj)).toContain('repo');
      expect(describeUser(repository, form)).toEqual(before);
      const [listed] = carrel.json<WorkspaceDetails[]>(repository, 'ls');
      expect(listed).toMatchObject({ name: 'a', ahead: 1, behind: 0, changes: { untracked: 1 } });
      expect(carrel.ok(repository, 'diff', 'a', '--name-only')).toBe('a.txt\nb.txt');
      expect(carrel.ok(path, 'path', 'a')).toBe(path);
    });

    test('imports what is rewritten inside, by jj and by git', () => {
      const { repository, inside } = makeSite(form);
      inside('echo 1 > 1.txt; jj --quiet commit -m one');
      const id = inside("jj --quiet describe -r @- -m uno; jj log --no-graph -r 'carrel/a' -T change_id");
      expect(logOf(repository, 'carrel/a', 'change_id ++ description')).toBe(`${id}uno`);
      inside('echo 2 > 2.txt; git add .; git commit -qm two');
      expect(logOf(repository, 'main..carrel/a', 'description')).toBe('two\nuno');
      inside('jj --quiet squash -r @- -m both');
      expect(logOf(repository, 'main..carrel/a', 'description ++ change_id')).toBe(`both\n${id}`);
    });

    test("shows the user's outside commits inside, and continues from there", () => {
      const { repository, path, inside } = makeSite(form);
      inside('echo 1 > 1.txt; jj --quiet commit -m inside');
      writeFiles(path, { 'mine.txt': 'mine\n' });
      git(path, 'add', 'mine.txt');
      git(path, 'commit', '-qm', 'outside');
      expect(inside("jj log --no-graph -r 'main@origin..@-' -T description")).toBe('outside\ninside');
      inside('echo 2 > 2.txt; jj --quiet commit -m after');
      expect(logOf(repository, 'main..carrel/a', 'description')).toBe('after\noutside\ninside');
    });

    test('lands on a bookmark, and then nothing is left', () => {
      const { carrel, repository, path, inside, privateJj } = makeSite(form);
      inside('echo a > a.txt; jj --quiet commit -m adds');
      const landed = carrel.json<LandResult>(repository, 'land', 'a');
      expect(landed).toMatchObject({ into: 'main', commits: 1, removed: { deletedBranch: 'carrel/a' } });
      expect(jj(repository, 'file', 'list', '-r', 'main')).toContain('a.txt');
      expect(jj(repository, 'bookmark', 'list', '-T', 'name')).toBe('main');
      expect([existsSync(path), existsSync(privateJj)]).toEqual([false, false]);
    });

    test("is captured, removed and restored with jj's own data", () => {
      const { carrel, repository, path, inside } = makeSite(form);
      const side = inside(
        "echo s > side.txt; jj --quiet commit -m side; jj --quiet new main@origin; echo w > w.txt; jj log --no-graph -r 'description(side)' -T change_id",
      );
      const refused = carrel.error(repository, 'down', 'a');
      expect(refused).toMatchObject({ status: 3, code: 'REMOVAL_REFUSED' });
      expect(carrel.ok(repository, 'snapshot', 'a')).toMatch(/^snap_/);
      carrel.ok(repository, 'down', 'a', '--discard-changes', '--discard-commits');
      expect(existsSync(path)).toBe(false);
      carrel.ok(repository, 'restore', 'a');
      expect(inside('jj log --no-graph -r "description(side)" -T change_id; cat w.txt')).toBe(`${side}w`);
      expect(inside("jj --quiet commit -m again; jj log --no-graph -r @- -T 'author.email()'")).toBe(
        'test@example.com',
      );
    });
  });
}

test('without a jj inside there is git alone, and up says so', () => {
  const { repository, path, made, inside } = makeSite('colocated', false);
  expect(made.warnings).toContainEqual(expect.stringContaining('jj is not available inside'));
  inside('echo a > a.txt; git add .; git commit -qm "by git"');
  expect(logOf(repository, 'carrel/a', 'description')).toBe('by git');
  expect(existsSync(join(path, '.jj'))).toBe(false);
});

test('nothing is mounted on a .jj that leads elsewhere', () => {
  const { carrel, repository, path } = makeSite('plain');
  const elsewhere = tempDir();
  execFileSync('sh', ['-c', `rmdir .jj && ln -s ${elsewhere} .jj`], { cwd: path });
  const { status, stderr } = carrel.run(repository, 'exec', 'a', '--', 'touch', 'marker');
  expect([status, existsSync(join(path, 'marker'))]).toEqual([3, false]);
  expect(stderr).toContain('.jj leads outside');
});
