import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'vitest';
import type { WorkspaceRecord } from '../../../src/domain/workspace/workspace.js';
import { gitEnvironment } from '../../../src/exec/command-environment.js';
import { runProcess } from '../../../src/exec/run-process.js';
import { createJj, type Jj } from '../../../src/jj/jj.js';
import type { ResolveRequest } from '../../../src/workspace/backend.js';
import { describeWorkspace } from '../../../src/workspace/contract/backend-subject.js';
import { type Files, readTree, writeTree } from '../../../src/workspace/contract/file-tree.js';
import { createJjBackend } from '../../../src/workspace/jj/backend.js';
import { requirePart } from '../../parts/required-part.js';
import { gitEnv, git as plainGit } from '../repository.js';
import { tempDir } from '../temp.js';
import { testGit } from './test-git.js';

const isJjThere = spawnSync('jj', ['--version']).status === 0;

export const requireJj = (context: TestContext): void => requirePart(context, isJjThere, 'jj');

/** `colocated`: git works in the same directory. `plain`: jj keeps its git to itself. */
export const JJ_FORMS = ['colocated', 'plain'] as const;
export type JjForm = (typeof JJ_FORMS)[number];

/** jj's variables for tests: no configuration of the machine's, and a fixed identity. */
export function jjEnv(): Record<string, string> {
  return { ...gitEnv(), JJ_CONFIG: '/dev/null', JJ_USER: 'Test', JJ_EMAIL: 'test@example.com' };
}

/** Plain jj for tests. */
export function jj(cwd: string, ...args: string[]): string {
  return execFileSync('jj', ['--no-pager', '--color=never', '--quiet', ...args], {
    cwd,
    env: jjEnv(),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trimEnd();
}

/** jj as Carrel calls it, with the tests' own configuration. */
export function testJj(extra: Readonly<Record<string, string>> = {}): Jj {
  return createJj({ run: runProcess, env: gitEnvironment({ ...jjEnv(), ...extra }) });
}

/** A jj repository with one commit on the bookmark `main` that holds `files`, and an empty change on top. */
export function makeJjRepository(form: JjForm, files: Files = { 'README.md': 'hello\n' }): string {
  const path = join(tempDir(), 'repo');
  mkdirSync(path);
  jj(path, 'git', 'init', form === 'colocated' ? '--colocate' : '--no-colocate');
  writeTree(path, files);
  jj(path, 'commit', '-m', 'first');
  jj(path, 'bookmark', 'create', 'main', '-r', '@-');
  if (form === 'plain') jj(path, 'git', 'export');
  return path;
}

/** The commit that a revset stands for, without recording anybody's files. */
export const jjCommit = (path: string, revset: string): string =>
  jj(path, '--ignore-working-copy', 'log', '--no-graph', '-r', revset, '-T', 'commit_id');

/** A ready workspace `a` of a jj repository, beside the backend that made it. */
export async function makeJjFixture(
  form: JjForm,
  request: ResolveRequest = {},
  repository = makeJjRepository(form),
) {
  const git = testGit();
  const backend = createJjBackend({
    git,
    jj: testJj(),
    temporaryRoot: tempDir(),
    keptDir: tempDir(),
    ownDirOf: () => tempDir(),
  });
  const located = await backend.locate(repository);
  const path = join(tempDir(), 'worktrees', 'a');
  const place = { backend, git, source: repository, path, scratch: tempDir() };
  const { base } = await backend.resolve(located, request);
  const record: WorkspaceRecord = { ...(await describeWorkspace(place, located, 'a')), base };
  const create = (hooks = {}) =>
    backend.create(record, { onStep: async () => {}, exclusively: action => action(), ...hooks });
  await create();
  return { backend, git, repository, located, record, path, create, commonDir: located.commonDir as string };
}

/** All that is the user's: files, working-copy commit, and what git has in a colocated repository. */
export function describeUser(repository: string, form: JjForm): unknown {
  const jjState = {
    files: readTree(repository),
    workingCopy: jjCommit(repository, 'default@'),
    bookmark: jjCommit(repository, 'main'),
  };
  if (form === 'plain') return jjState;
  const refs = plainGit(repository, 'for-each-ref', 'refs/heads', 'refs/tags').split('\n');
  return {
    ...jjState,
    refs: refs.filter(line => !line.includes('carrel/')),
    head: readFileSync(join(repository, '.git/HEAD'), 'utf8'),
    index: readFileSync(join(repository, '.git/index'), 'base64'),
  };
}
