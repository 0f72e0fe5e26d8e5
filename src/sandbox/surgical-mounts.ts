import { access, mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { ignoreMissing } from '../domain/error.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import { adminDirOf } from '../git/linked-worktree.js';

/** Something of the machine at its own path; what comes later in a list covers what was before. */
export interface Shown {
  readonly path: string;
  readonly isWritable: boolean;
}

/** What `surgical` shows of the repository, and what it covers of the workspace's own files. */
export interface SurgicalMounts {
  readonly ofRepository: readonly Shown[];
  readonly ofWorkspace: readonly Shown[];
}

/**
 * Only where commits and refs are written is anything writable. All that git and jj take instructions from is beside
 * that, whether it is there yet or not: configuration, hooks, attributes, a `commondir` that leads to another
 * configuration, the files of other worktrees. Carrel's own refs hold the snapshots and are nobody else's to move.
 */
export async function findSurgicalMounts(
  record: WorkspaceRecord & { readonly commonDir: string },
): Promise<SurgicalMounts> {
  const { repository, commonDir } = record;
  const own = record.backend === 'jj' ? jjParts(record) : await gitParts(record);
  const ofRepository = [
    readable(repository),
    readable(commonDir),
    ...['objects', 'refs', 'logs'].map(name => writable(join(commonDir, name))),
    readable(join(commonDir, 'refs', 'carrel')),
    ...own.ofRepository,
  ];
  const isThere = await Promise.all(ofRepository.map(({ path }) => exists(path)));
  return { ...own, ofRepository: ofRepository.filter((_, at) => isThere[at]) };
}

const readable = (path: string): Shown => ({ path, isWritable: false });
const writable = (path: string): Shown => ({ path, isWritable: true });

/** The worktree's own part of the git directory, in which our git runs: it stays that of this repository. */
async function gitParts(record: WorkspaceRecord & { readonly commonDir: string }): Promise<SurgicalMounts> {
  const { commonDir, id, path } = record;
  const admin = adminDirOf({ commonDir, id });
  // With `extensions.worktreeConfig` git reads it; what is not there can't be covered.
  await open(join(admin, 'config.worktree'), 'a').then(file => file.close(), ignoreMissing);
  // Without the directory git inside would have to make it, where it may not.
  await mkdir(join(commonDir, 'logs'), { recursive: true });
  const facts = ['commondir', 'gitdir', 'config.worktree', 'carrel-sandbox'];
  return {
    ofRepository: [writable(admin), ...facts.map(name => readable(join(admin, name)))],
    ofWorkspace: [readable(join(path, '.git'))],
  };
}

/** Of jj all that an operation writes. What is beside it says where the store is and which configuration counts. */
function jjParts({ repository, path }: WorkspaceRecord): SurgicalMounts {
  const parts = ['index', 'op_heads', 'op_store', 'store/extra', 'submodule_store'];
  const own = join(path, '.jj');
  return {
    ofRepository: parts.map(name => writable(join(repository, '.jj', 'repo', name))),
    ofWorkspace: [readable(own), writable(join(own, 'working_copy'))],
  };
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
