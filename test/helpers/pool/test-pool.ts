import { onTestFinished } from 'vitest';
import type { Remains } from '../../../src/domain/snapshot/remains.js';
import type { WorkspaceLease } from '../../../src/pool/workspace-pool.js';
import { git, makeRepository } from '../repository.js';
import { tempDir } from '../temp.js';
import { type OpenPool, type OpenPoolOptions, openPool } from './open-pool.js';

/** A repository with a pool, in a store and a directory of the running test's own. */
export interface TestPool extends OpenPool {
  readonly repository: string;
  /** Holds the database and the slots. */
  readonly home: string;
  readonly head: string;
  acquire(commit?: string): Promise<WorkspaceLease>;
  remains(): Promise<Remains[]>;
}

const POOL_FILES = {
  'README.md': 'hello\n',
  'source/one.txt': 'one\n',
  'source/deep/two.txt': 'two\n',
  'run.sh': '#!/bin/sh\n',
  '.gitignore': '*.log\nnode_modules/\nbuild/\n',
  'package-lock.json': '{"lockfileVersion":3}\n',
};

export async function makePool(
  options: OpenPoolOptions = {},
  repository = makeRepository(POOL_FILES),
): Promise<TestPool> {
  const home = tempDir();
  const open = await openPool(repository, home, options);
  onTestFinished(() => open.store.close());
  const head = git(repository, 'rev-parse', 'HEAD');
  return {
    ...open,
    repository,
    home,
    head,
    acquire: (commit = head) => open.pool.acquire({ commit, holder: 'a test', timeoutMs: 20_000 }),
    remains: () => open.store.remains.list(),
  };
}
