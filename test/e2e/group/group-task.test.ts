import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Task } from '../../../src/domain/task/task.js';
import type { Workspace } from '../../../src/domain/workspace/workspace.js';
import { thoroughTest } from '../../helpers/flavours.js';
import { ALIASES, type Alias } from '../../helpers/group/group-site.js';
import { type GroupTasks, makeGroupTasks } from '../../helpers/group/group-tasks.js';
import { git } from '../../helpers/repository.js';

/** Commits in `web` itself, leaves a file in `app`, and does nothing in `api`. */
const WRITER = `if [ -e "$TALLY.sh" ]; then . "$TALLY.sh"; exit; fi; echo writer >> "$TALLY"; echo new > new.txt; cd "$(at web)"; echo web > web.txt; git add web.txt; git commit -qm own; echo draft > draft.txt`;

const oneStage = (workflow = {}, config = {}): GroupTasks =>
  makeGroupTasks({
    agents: { writer: WRITER },
    stages: [{ name: 'one', agent: 'writer' }],
    workflow,
    config,
  });

const headsOf = ({ repositories = [] }: Task) =>
  Object.fromEntries(repositories.map(({ alias, head }) => [alias, head])) as Record<Alias, string>;

const fileOn = (site: GroupTasks, alias: Alias, ref: string, path: string): string =>
  git(site.repositories[alias], 'show', `${ref}:${path}`);

test('a task of a workflow with repositories works in all of them, and its work is on one branch in each', () => {
  const site = oneStage({
    repositories: ['../web', '../api'],
    validation: [{ kind: 'command', run: 'test -n "$CARREL_REPOSITORIES"' }],
  });
  const before = site.fingerprints();
  const done = site.run();
  expect(done).toMatchObject({
    status: 'succeeded',
    stages: [{ changed: true }],
    repositories: ALIASES.map(alias => ({ alias, repository: site.repositories[alias] })),
  });
  const branch = done.branch as string;
  expect(fileOn(site, 'app', branch, 'new.txt')).toBe('new');
  expect(fileOn(site, 'web', branch, 'web.txt')).toBe('web');
  expect(fileOn(site, 'web', branch, 'draft.txt')).toBe('draft');
  const heads = headsOf(done);
  expect(heads.app).toBe(done.head);
  for (const alias of ['app', 'web'] as const)
    expect(git(site.repositories[alias], 'rev-parse', branch)).toBe(heads[alias]);
  expect(heads.api).toBe(site.tips().api);
  // The workspace is gone, with all of its parts; the patch comes from the branches.
  expect(site.settle()).toEqual([]);
  const patch = site.ok('task', 'diff', done.id);
  expect(patch).toContain('+++ b/app/new.txt');
  expect(patch).toContain('+++ b/web/web.txt');
  expect(patch).not.toContain('api/');
  expect(site.fingerprints()).toEqual(before);
});

thoroughTest(
  'the work of a task whose workspace is gone is landed from its branches, in all repositories',
  () => {
    const site = oneStage();
    const done = site.run();
    const { app, web } = headsOf(done);
    site.ok('land', done.id);
    expect(site.tips()).toMatchObject({ app, web });
    for (const alias of ALIASES)
      expect(git(site.repositories[alias], 'branch', '--list', 'carrel/*')).toBe('');
    expect(site.settle()).toEqual([]);
  },
);

thoroughTest(
  'with --keep the patch and the landing come from the workspace, and with --land a conflict in one lands none',
  () => {
    const site = oneStage();
    const kept = site.run('--keep');
    const parts = site.carrel.json<Workspace>(site.repositories.app, 'show', kept.workspaceName as string);
    expect(kept.repositories?.map(({ worktreePath }) => worktreePath)).toEqual(
      parts.repositories?.map(({ path }) => path),
    );
    expect(site.ok('task', 'diff', kept.id)).toContain('+++ b/web/draft.txt');
    site.ok('land', kept.id);
    expect(readFileSync(join(site.repositories.web, 'web.txt'), 'utf8')).toBe('web\n');
    expect(readFileSync(join(site.repositories.app, 'new.txt'), 'utf8')).toBe('new\n');
    expect(site.settle()).toEqual([]);

    writeFileSync(join(site.repositories.web, 'README.md'), 'changed by the user\n');
    const tips = site.tips();
    const refused = makeChange(site, 'echo other > README.md; cd "$(at web)"; echo other > README.md');
    expect(refused).toMatchObject({ status: 'failed', failure: { kind: 'land-failed' } });
    expect(site.tips()).toEqual(tips);
    git(site.repositories.web, 'checkout', '-q', 'README.md');
    const again = site.retry(refused.id);
    expect(again.failure).toBe(undefined);
    expect(again.status).toBe('succeeded');
    expect(readFileSync(join(site.repositories.web, 'README.md'), 'utf8')).toBe('other\n');
    expect(readFileSync(join(site.repositories.app, 'README.md'), 'utf8')).toBe('other\n');
    expect(site.settle()).toEqual([]);
  },
);

/** Lets the agent do something else in the same repositories, and lands it. */
function makeChange(site: GroupTasks, script: string): Task {
  writeFileSync(join(site.carrel.home, 'tally.sh'), script);
  return site.run('--land');
}

test('repositories of a workflow need the approval of the user, also when a link leads elsewhere', () => {
  const site = makeGroupTasks({
    agents: { writer: WRITER },
    stages: [{ name: 'one', agent: 'writer' }],
    isTrusted: false,
  });
  const { carrel, repositories } = site;
  const refused = () => carrel.error(repositories.app, 'run', 'Do it');
  expect(refused()).toMatchObject({ code: 'REPOSITORIES_NOT_TRUSTED', status: 3 });
  expect(carrel.json(repositories.app, 'trust', '--list')).toMatchObject({
    commands: expect.arrayContaining([`create workspaces in the repository ${repositories.web}`]),
  });
  expect(carrel.json(repositories.app, 'task', 'ls')).toEqual([]);
  site.ok('trust', '--yes');
  expect(site.run()).toMatchObject({ status: 'succeeded' });
});

test('what cannot be a workspace with several repositories is refused before the task exists', () => {
  const site = oneStage();
  const { carrel, repositories } = site;
  // A machine without a sandbox has another reason.
  expect(carrel.error(repositories.app, 'run', 'Do it', '--isolation', 'full').code).toMatch(
    /^(GROUP_NOT_POSSIBLE|ISOLATION_UNAVAILABLE)$/,
  );
  for (const options of [
    ['--isolation', 'shared'],
    ['--strategy', 'directory'],
  ])
    expect(carrel.error(repositories.app, 'run', 'Do it', ...options)).toMatchObject({
      code: 'GROUP_NOT_POSSIBLE',
    });
  rmSync(repositories.web, { recursive: true });
  expect(carrel.error(repositories.app, 'run', 'Do it')).toMatchObject({ code: expect.any(String) });
  expect(carrel.json(repositories.app, 'task', 'ls')).toEqual([]);
  expect(carrel.json(repositories.app, 'ls', '--all')).toEqual([]);
});

test('workflow show and check name the repositories, and say which one is missing', () => {
  const site = oneStage({ repositories: { client: '../web', back: { path: '../api', base: 'main' } } });
  const { carrel, repositories } = site;
  expect(carrel.json(repositories.app, 'workflow', 'show', 'work')).toMatchObject({
    repositories: [
      { alias: 'client', path: repositories.web, base: null },
      { alias: 'back', path: repositories.api, base: 'main' },
    ],
    problems: [],
  });
  expect(site.ok('workflow', 'show', 'work')).toContain(repositories.api);
  rmSync(repositories.api, { recursive: true });
  const checked = carrel.run(repositories.app, 'workflow', 'check');
  expect(checked.status).not.toBe(0);
  expect(`${checked.stdout}${checked.stderr}`).toContain(repositories.api);
});

thoroughTest(
  'work that cannot be committed in one repository fails the stage, and nothing of the others is lost',
  () => {
    const site = makeGroupTasks({
      agents: {
        writer: `echo new > new.txt; cd "$(at web)"; git checkout -q -b side HEAD; echo a > README.md; git commit -qam a; git checkout -q -; echo b > README.md; git commit -qam b; git merge -q side || true; echo left > left.txt`,
      },
      stages: [{ name: 'one', agent: 'writer' }],
    });
    const before = site.fingerprints();
    const done = site.run();
    expect(done).toMatchObject({
      status: 'failed',
      failure: { kind: 'operation-in-progress', message: expect.stringContaining('web') },
    });
    expect(site.settle()).toHaveLength(2);
    const parts = Object.fromEntries((done.repositories ?? []).map(each => [each.alias, each.worktreePath]));
    expect(readFileSync(join(parts.web as string, 'left.txt'), 'utf8')).toBe('left\n');
    expect(git(parts.app as string, 'status', '--porcelain')).toBe('');
    expect(fileOn(site, 'app', done.branch as string, 'new.txt')).toBe('new');
    expect(withoutSide(site.fingerprints())).toEqual(withoutSide(before));
    git(parts.web as string, 'merge', '--abort');
    rmSync(join(parts.web as string, 'left.txt'));
  },
);

/** The agent made another branch. */
const withoutSide = (prints: Record<Alias, Record<string, string>>) =>
  ALIASES.map(alias => {
    const { refs: _, ...rest } = prints[alias];
    return rest;
  });

thoroughTest('stages that run at the same time are joined in all repositories', () => {
  const writer = 'for each in app web; do cd "$(at $each)"; echo "$CARREL_STAGE" > "$CARREL_STAGE.txt"; done';
  const site = makeGroupTasks({
    agents: { writer },
    stages: ['two', 'three'].map(name => ({ name, agent: 'writer', dependsOn: [] })),
  });
  const done = site.run();
  expect(done).toMatchObject({ status: 'succeeded', stages: [{ attempts: 1 }, { attempts: 1 }] });
  for (const alias of ['app', 'web'] as const) {
    expect(fileOn(site, alias, done.branch as string, 'two.txt')).toBe('two');
    expect(fileOn(site, alias, done.branch as string, 'three.txt')).toBe('three');
    expect(git(site.repositories[alias], 'branch', '--list', 'carrel/*')).toContain(done.branch);
  }
  expect(site.settle()).toEqual([]);
});

thoroughTest('a retry after a part was deleted continues with the work of all parts in new ones', () => {
  const site = makeGroupTasks({
    agents: {
      first: WRITER,
      second: 'test -e "$(at web)/web.txt" && test -e new.txt && test -e "$TALLY.go"',
    },
    stages: [
      { name: 'one', agent: 'first' },
      { name: 'two', agent: 'second' },
    ],
  });
  const broken = site.run();
  expect(broken).toMatchObject({ status: 'failed', failure: { stage: 'two' } });
  const paths = (broken.repositories ?? []).map(({ worktreePath }) => worktreePath as string);
  writeFileSync(join(paths[0] as string, 'by-hand.txt'), 'by hand\n');
  rmSync(paths[1] as string, { recursive: true });
  writeFileSync(join(site.carrel.home, 'tally.go'), '');
  const done = site.retry(broken.id);
  expect(done).toMatchObject({ status: 'succeeded', stages: [{ attempts: 1 }, {}] });
  const heads = headsOf(done);
  expect(fileOn(site, 'app', heads.app, 'by-hand.txt')).toBe('by hand');
  expect(fileOn(site, 'web', heads.web, 'web.txt')).toBe('web');
  expect(site.settle()).toEqual([]);
  expect(existsSync(paths[1] as string)).toBe(false);
});
