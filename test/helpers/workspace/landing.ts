import { join } from 'node:path';
import { expect } from 'vitest';
import { isCarrelError } from '../../../src/domain/error/error.js';
import type { WorkspaceRecord } from '../../../src/domain/workspace/workspace.js';
import { gitEnvironment } from '../../../src/exec/command-environment.js';
import { type RunRequest, runProcess } from '../../../src/exec/run-process.js';
import { createGit } from '../../../src/git/git.js';
import type { LandRequest } from '../../../src/workspace/backend.js';
import { createLanding } from '../../../src/workspace/git/landing/land.js';
import { fingerprint, hashTree } from '../fingerprint.js';
import { gitEnv, makeRepository, git as plainGit } from '../repository.js';
import { tempDir } from '../temp.js';

const LINES = Array.from({ length: 20 }, (_, index) => `line ${index}\n`);

/** The twenty lines of a.txt with one of them replaced. */
export const edit = (line: number, text: string, lines = LINES) =>
  lines.map((old, index) => (index === line ? text : old));

interface Options {
  readonly base?: string | null;
  readonly run?: (request: RunRequest) => ReturnType<typeof runProcess>;
  readonly env?: Record<string, string>;
}

/** A repository on main, and a workspace `x` on carrel/x that was made from it. */
export function makeWorkspace(options: Options = {}) {
  const repository = makeRepository({
    'a.txt': LINES.join(''),
    'b.txt': 'b\n',
    '.gitignore': '.env\n*.log\n',
  });
  const path = join(tempDir(), 'ws_0000000000000001');
  const run = (...args: string[]) => plainGit(repository, ...args);
  const base = run('rev-parse', 'HEAD');
  run('worktree', 'add', '--quiet', '--no-track', '-b', 'carrel/x', path);
  const git = createGit({ run: options.run ?? runProcess, env: gitEnvironment(options.env ?? gitEnv()) });
  const temporaryRoot = tempDir();
  const landing = createLanding({ git, temporaryRoot });
  const record = makeRecord(repository, path, {
    ref: options.base === undefined ? 'main' : options.base,
    commit: base,
  });
  const request = (more: Partial<LandRequest> = {}): LandRequest => ({ strategy: 'merge', ...more });
  const steps: string[] = [];
  const land = async (more: Partial<LandRequest> = {}) => {
    const plan = await landing.prepare(record, request(more));
    await landing.move(record, plan, async step => void steps.push(step));
    return plan;
  };
  return { repository, path, run, landing, record, request, land, steps, temporaryRoot };
}

function makeRecord(repository: string, path: string, base: WorkspaceRecord['base']): WorkspaceRecord {
  return {
    id: 'ws_0000000000000001',
    name: 'x',
    repository,
    backend: 'git',
    runtime: 'host',
    isolation: { requested: 'worktree', effective: 'worktree', reason: null },
    path,
    branch: 'carrel/x',
    base,
    status: 'ready',
    ports: [],
    createdAt: '2024-01-01T00:00:00.000Z',
    lastActivityAt: '2024-01-01T00:00:00.000Z',
    warnings: [],
    repositoryId: 'r',
    commonDir: join(repository, '.git'),
    ownsBranch: true,
    operationId: null,
    template: null,
    environment: {},
    included: [],
  } as WorkspaceRecord;
}

/** The refusal, after which the user's repository and the workspace are as they were. */
export async function refusal(workspace: ReturnType<typeof makeWorkspace>, action: () => Promise<unknown>) {
  const look = () => ({ user: fingerprint(workspace.repository), own: hashTree(workspace.path) });
  const before = look();
  const error = await action().then(
    () => undefined,
    caught => caught,
  );
  expect(look()).toEqual(before);
  if (!isCarrelError(error)) throw error ?? new Error('it went through; expected a refusal');
  return { code: error.code, details: error.details };
}
