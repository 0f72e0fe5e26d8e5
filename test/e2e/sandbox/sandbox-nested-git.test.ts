import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { PLANT_BARE, PLANT_REPOSITORY } from '../../helpers/escape/planted-repository.js';
import { thoroughTest } from '../../helpers/flavours.js';
import { git, makeRepository } from '../../helpers/repository.js';
import { waitFor } from '../../helpers/wait-for.js';
import { DESK_FILES, type Fixture, makeFixture } from '../../helpers/workspace/test-workspace.js';
import { requireBubblewrap } from '../../parts/bubblewrap.js';

// Repositories that an agent makes in its workspace: the user's git, editor and prompt must not obey their configuration.

beforeEach(requireBubblewrap);

const makeFull = (repository = makeRepository(DESK_FILES)): Fixture =>
  makeFixture({
    repository,
    up: ['--isolation', 'full', '--strict'],
    config: 'sandbox:\n  runtime: bubblewrap\n',
  });

/** Inside the workspace, so that a program that runs outside can write it as well. */
const markOf = (fixture: Fixture): string => join(fixture.path, 'ran');

const plant = (fixture: Fixture, script: string) =>
  fixture.run('exec', 'a', '--', 'sh', '-ec', `${PLANT_REPOSITORY}\n${script}\nrm -f ran`);

function expectNothingRan(fixture: Fixture): void {
  const mark = markOf(fixture);
  expect(existsSync(mark) ? readFileSync(mark, 'utf8') : '').toBe('');
}

function lookAround(fixture: Fixture, ...directories: string[]): void {
  for (const directory of ['.', ...directories])
    for (const args of [['status'], ['diff'], ['log', '-1']]) git(join(fixture.path, directory), ...args);
}

test('a repository that was created inside runs nothing outside, and is uncovered for the next command', () => {
  const fixture = makeFull();
  const made = plant(
    fixture,
    'plant sub "$PWD/ran"; plant deep/er "$PWD/ran"; echo gitdir: ../sub/.git > deep/.git',
  );
  expect(made).toMatchObject({ status: 0, stderr: '' });
  lookAround(fixture, 'sub', 'deep', 'deep/er');
  expectNothingRan(fixture);
  expect(git(join(fixture.path, 'sub'), 'rev-parse', '--show-toplevel').trim()).toBe(fixture.path);
  const again = plant(
    fixture,
    'git -C sub -c core.fsmonitor= log --format=%s; git -C deep/er rev-parse --show-prefix; cat deep/.git',
  );
  expect(again.stdout).toBe('nested\n\ngitdir: ../sub/.git\n');
  renameSync(join(fixture.path, 'sub/.git'), join(fixture.path, 'cover'));
  renameSync(join(fixture.path, 'cover/covered-by-carrel'), join(fixture.path, 'sub/.git'));
  git(join(fixture.path, 'sub'), 'status');
  expect(existsSync(markOf(fixture)), 'the control').toBe(true);
});

thoroughTest(
  'the entry of a nested repository is not imported, and commits made for the agent leave it out',
  () => {
    const fixture = makeFull();
    plant(fixture, 'plant sub "$PWD/ran"; echo w > work.txt');
    const landed = fixture.carrel.error(fixture.repository, 'land', 'a', '-m', 'work');
    expect(landed).toMatchObject({ code: 'LAND_UNCOMMITTED', details: { files: ['sub'] } });
    expect(git(fixture.repository, 'ls-tree', '-r', '--name-only', 'carrel/a')).toContain('work.txt');
    expect(git(fixture.repository, 'ls-tree', '-r', 'carrel/a')).not.toContain('160000');
    const committed = plant(fixture, 'git -c core.fsmonitor= add sub; git commit -qm sub');
    expect(committed.stderr).toMatch(/"sub" of commit \w+ is a nested repository/);
    lookAround(fixture, 'sub');
    expectNothingRan(fixture);
  },
);

thoroughTest(
  'a submodule that is replaced inside runs nothing outside, even while the command runs',
  async () => {
    const repository = makeRepository(DESK_FILES);
    const id = git(repository, 'rev-parse', 'HEAD').trim();
    writeFileSync(join(repository, '.gitmodules'), '[submodule "sub"]\n\tpath = sub\n\turl = ../nowhere\n');
    git(repository, 'add', '.gitmodules');
    git(repository, 'update-index', '--add', '--cacheinfo', `160000,${id},sub`);
    git(repository, 'commit', '-qm', 'submodule');
    const fixture = makeFull(repository);
    const script = `${PLANT_REPOSITORY}
    plant sub "$PWD/ran"; rm -f ran; touch ready; while [ ! -e go ]; do sleep 0.05; done`;
    const running = fixture.carrel.start(fixture.repository, 'exec', 'a', '--', 'sh', '-ec', script);
    await waitFor(
      'the repository inside',
      () => existsSync(join(fixture.path, 'ready')) || undefined,
      40_000,
    );
    lookAround(fixture);
    expectNothingRan(fixture);
    fixture.git('update-index', '--no-skip-worktree', 'sub');
    fixture.git('status');
    expect(existsSync(markOf(fixture)), 'the control').toBe(true);
    rmSync(markOf(fixture));
    writeFileSync(join(fixture.path, 'go'), '');
    expect(await running).toMatchObject({ status: 0 });
    lookAround(fixture, 'sub');
    expectNothingRan(fixture);
  },
);

thoroughTest('a removal keeps a covered repository, and a restore returns it to the agent', () => {
  const fixture = makeFull();
  plant(fixture, 'plant sub "$PWD/ran"');
  fixture.ok('down', 'a', '--discard-changes');
  fixture.ok('restore', 'a');
  lookAround(fixture, 'sub');
  expectNothingRan(fixture);
  expect(plant(fixture, 'git -C sub -c core.fsmonitor= log --format=%s').stdout).toBe('nested\n');
});

test('a bare repository that was made inside, or that a link leads to, runs nothing outside', () => {
  const fixture = makeFull(makeRepository({ ...DESK_FILES, ...OWN_BARE }));
  const state = join(fixture.carrel.stateDir, 'sandboxes', fixture.id);
  const made = plant(
    fixture,
    `${PLANT_BARE}
    mark=$PWD/ran; bare remote.git; bare deep/er; ln -s deep/er short
    mkdir pointed; cp remote.git/HEAD remote.git/config pointed/; echo ../remote.git >pointed/commondir
    bare "$HOME/evil"; ln -s / top; ln -s top/${state}/home/evil away; ln -s ${state}/git private
    git config core.fsmonitor "$PWD/remote.git/evil"; git config core.worktree "$PWD"; rm -f ran`,
  );
  expect(made).toMatchObject({ status: 0, stderr: '' });
  for (const place of ['remote.git', 'deep/er', 'short', 'pointed', 'away', 'private', 'fixture.git'])
    fixture.type(join(fixture.path, place), 'git status; git -C . log -1');
  expectNothingRan(fixture);
  // One that the repository brings is the user's own, and stays as it is.
  expect(git(join(fixture.path, 'fixture.git'), 'rev-parse', '--is-bare-repository')).toBe('true');
  const again = plant(fixture, 'git -C remote.git config core.worktree; readlink away private; ls pointed');
  expect(again.stdout).toBe(`..\ntop/${state}/home/evil\n${state}/git\nHEAD\ncommondir\nconfig\n`);
  renameSync(join(fixture.path, 'remote.git/HEAD'), join(fixture.path, 'cover'));
  renameSync(join(fixture.path, 'cover/covered-by-carrel'), join(fixture.path, 'remote.git/HEAD'));
  git(join(fixture.path, 'remote.git'), 'status');
  expect(existsSync(markOf(fixture)), 'the control').toBe(true);
});

thoroughTest(
  'a bare repository of the repository itself is covered once its configuration is the agent’s',
  () => {
    const fixture = makeFull(makeRepository({ ...DESK_FILES, ...OWN_BARE }));
    plant(fixture, `${PLANT_BARE}\nmark=$PWD/ran; bare fixture.git`);
    fixture.type(join(fixture.path, 'fixture.git'), 'git status');
    expectNothingRan(fixture);
    expect(plant(fixture, 'cat fixture.git/HEAD').stdout).toBe(OWN_BARE['fixture.git/HEAD']);
  },
);

const OWN_BARE = {
  'fixture.git/HEAD': 'ref: refs/heads/main\n',
  'fixture.git/config': '[core]\n\tbare = true\n\trepositoryformatversion = 0\n',
  'fixture.git/objects/info/keep': '',
  'fixture.git/refs/heads/keep': '',
};
