import { join } from 'node:path';
import type { SlotRecord } from '../../../src/domain/workspace/slot.js';
import { createOverlaySlotFiles } from '../../../src/pool/overlay/overlay-slot-files.js';
import type { SlotFiles } from '../../../src/pool/slot-files.js';
import { findOverlayObstacle } from '../../../src/workspace/template/overlay-obstacle.js';
import { testGit } from '../git/test-git.js';
import { git, makeRepository } from '../repository.js';
import { tempDir } from '../temp.js';
import { overlayDir } from './overlay.js';

const FILES = {
  'a.txt': 'a\n',
  'run.sh': '#!/bin/sh\n',
  'src/deep/b.txt': 'b\n',
  'src/c.txt': 'c\n',
  'package-lock.json': '{}\n',
  '.gitignore': 'node_modules/\nbuild/\n',
};

/** A slot that shares its files, outside of any pool. */
export interface OverlaySlot {
  readonly files: SlotFiles;
  readonly slot: SlotRecord;
  readonly tree: string;
  readonly repository: string;
  readonly root: string;
  /** A new place for what is moved away. */
  readonly aside: (name?: string) => string;
}

export async function makeSlot(): Promise<OverlaySlot> {
  const root = overlayDir();
  const repository = makeRepository(FILES, join(tempDir(), 'repo'));
  const files = createOverlaySlotFiles({
    git: testGit(),
    root,
    findObstacle: findOverlayObstacle,
    regenerable: ['node_modules'],
  });
  const slot = describeSlot(root, repository, 'slot_one');
  await files.make(slot);
  return {
    files,
    slot,
    repository,
    root,
    tree: join(slot.directory, 'tree'),
    aside: (name = 'aside') => join(root, '.trash', name),
  };
}

export function describeSlot(root: string, repository: string, id: string): SlotRecord {
  const now = new Date().toISOString();
  return {
    id,
    repositoryId: 'repository',
    repository,
    commonDir: join(repository, '.git'),
    directory: join(root, '.pool', 'repository', id),
    kind: 'overlay',
    status: 'free',
    commit: git(repository, 'rev-parse', 'HEAD'),
    lease: null,
    owner: null,
    caches: {},
    reason: null,
    createdAt: now,
    changedAt: now,
  };
}

/** What git sees, without writing, and whether it would have to read a single file again. */
export function look(tree: string) {
  return {
    head: git(tree, 'rev-parse', 'HEAD'),
    status: git(tree, '--no-optional-locks', 'status', '--porcelain', '--ignored'),
    stale: git(tree, 'diff-files', '--name-only'),
  };
}

export const clean = (slot: SlotRecord) => ({ head: slot.commit, status: '', stale: '' });
export const NO_CACHES = { paths: [] };
