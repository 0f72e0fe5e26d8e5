import { access, mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { ignoreMissing } from '../../domain/error/error.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { adminDirOf } from '../../git/repository/linked-worktree.js';

/** A path of the host at the same path inside; later entries cover earlier ones. */
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
 * Only directories for commits and refs are writable. Everything that git and jj take instructions from is read-only, whether it
 * exists yet or not: configuration, hooks, attributes, a `commondir` that leads to another configuration, the files of other
 * worktrees. Carrel's own refs hold the snapshots and must not be moved.
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
  // With `extensions.worktreeConfig` git reads it; a missing file can't be covered.
  await open(join(admin, 'config.worktree'), 'a').then(file => file.close(), ignoreMissing);
  // Without the directory git inside would have to create it, which is not allowed.
  await mkdir(join(commonDir, 'logs'), { recursive: true });
  const facts = ['commondir', 'gitdir', 'config.worktree', 'carrel-sandbox'];
  return {
    ofRepository: [writable(admin), ...facts.map(name => readable(join(admin, name)))],
    ofWorkspace: [readable(join(path, '.git'))],
  };
}

/** Everything in jj that an operation writes. The other files say where the store is and which configuration applies. */
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
