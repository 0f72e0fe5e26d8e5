import { randomInt } from 'node:crypto';
import { mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { gitEnvironment } from '../../../src/exec/command-environment.js';
import { identifyProcess } from '../../../src/exec/process/identify-process.js';
import { runProcess } from '../../../src/exec/run-process.js';
import { createGit } from '../../../src/git/git.js';
import { locateGitRepository } from '../../../src/git/repository/locate-git-repository.js';
import { createCheckoutSlotFiles } from '../../../src/pool/checkout/checkout-slot-files.js';
import { createWorkspacePool } from '../../../src/pool/create-workspace-pool.js';
import type { PoolDependencies, PoolSettings } from '../../../src/pool/pool-dependencies.js';
import type { WorkspacePool } from '../../../src/pool/workspace-pool.js';
import { openSqliteStore } from '../../../src/store/sqlite/open-sqlite-store.js';
import type { Store } from '../../../src/store/store.js';

export interface OpenPool {
  readonly pool: WorkspacePool;
  readonly store: Store;
  readonly dependencies: PoolDependencies;
}

export interface OpenPoolOptions {
  readonly settings?: Partial<PoolSettings>;
  readonly requireRoom?: () => Promise<void>;
}

/** A repository's pool with its database and its slots in `home`. Without vitest, so that programs of tests use it too. */
export async function openPool(
  repository: string,
  home: string,
  { settings = {}, requireRoom = async () => undefined }: OpenPoolOptions = {},
): Promise<OpenPool> {
  const store = await openSqliteStore({ file: join(home, 'carrel.db'), now: Date.now });
  const user = { PATH: process.env.PATH ?? '', HOME: '/nonexistent', GIT_CONFIG_GLOBAL: '/dev/null' };
  const git = createGit({ run: runProcess, env: gitEnvironment({ ...user, GIT_CONFIG_NOSYSTEM: '1' }) });
  const root = join(realpathSync(home), 'worktrees');
  mkdirSync(root, { recursive: true });
  const { id, commonDir, name, root: workTree } = await locateGitRepository(git, repository);
  const dependencies: PoolDependencies = {
    store,
    git,
    now: Date.now,
    ids: { now: Date.now, random: limit => randomInt(limit) },
    self: identifyProcess(process.pid) as PoolDependencies['self'],
    repository: { id, root: workTree, commonDir, name },
    root,
    settings: { size: 4, keep: [], overlay: 'off', ...settings },
    kinds: [createCheckoutSlotFiles({ git, now: Date.now, regenerable: ['node_modules'], workers: 2 })],
    requireRoom,
    onRemains: () => undefined,
  };
  return { pool: createWorkspacePool(dependencies), store, dependencies };
}
