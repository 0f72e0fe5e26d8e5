import { existsSync, lstatSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { findCheckout } from '../../git/repository/find-checkout.js';
import type { WorkTreePlace } from '../../git/work-tree-place.js';
import { INSIDE, type Mount } from '../../runtime/policy.js';
import { hasGitInside } from '../git-inside.js';
import { requireSettings } from '../require-settings.js';
import type { SandboxPlace } from '../sandbox-place.js';
import { emptyDirectory } from './in-place-git.js';
import { type InstructionTools, listInstructionPaths } from './instruction-paths.js';
import { listOwnRepositories } from './own-repositories.js';

/** What is mounted besides the directory itself, in this order. */
export interface InPlaceMounts {
  /** With `surgical`, the repository's git directory. */
  readonly ofRepository: readonly Mount[];
  /** What covers parts of the directory. */
  readonly ofDirectory: readonly Mount[];
}

/**
 * A directory of the user stays under the control of the user's git, so nothing that git obeys may be writable inside: `.git` is
 * replaced by the sandbox's own, `.jj` is empty, and the user's nested repositories, hooks and included configuration are
 * read-only. A mount point can't be renamed, and every directory above a protected path becomes one: so no path of the user
 * leads to something else afterwards.
 */
export async function findInPlaceMounts(
  tools: InstructionTools,
  record: WorkspaceRecord,
  place: SandboxPlace,
): Promise<InPlaceMounts> {
  const root = record.path;
  const checkout = hasGitInside(record) ? await findCheckout(tools.git, root) : undefined;
  const isOwn = checkout?.commonDir === record.commonDir;
  const named = isOwn && checkout ? await listInstructionPaths(tools, checkout, root) : undefined;
  const own = await listOwnRepositories(root, place);
  const readOnlyPaths = [...new Set([...own, ...(named?.paths ?? [])])].filter(path => path !== JJ);
  return {
    ofRepository: await showRepository(record),
    ofDirectory: [
      ...pinAbove(root, readOnlyPaths),
      ...readOnlyPaths.map(path => bind(join(root, path), join(root, path), false)),
      ...hideGit(record, place, checkout, own.includes(JJ)),
    ],
  };
}

/** jj takes instructions from there, and has no private repository in a directory in place. */
const JJ = '.jj';

/** Directories between the root and the paths, the upper ones first. */
function pinAbove(root: string, paths: readonly string[]): Mount[] {
  const above = new Set<string>();
  for (const path of paths)
    for (let each = dirname(path); each !== '.'; each = dirname(each)) above.add(each);
  return [...above].sort().map(path => bind(join(root, path), join(root, path), true));
}

function hideGit(
  record: WorkspaceRecord,
  place: SandboxPlace,
  checkout: WorkTreePlace | undefined,
  hasJj: boolean,
): Mount[] {
  const { path: root } = record;
  const hidden = [hasJj ? join(root, JJ) : undefined, checkout?.gitDir, checkout?.commonDir].filter(
    (path): path is string => path !== undefined && dirname(path) === root && path !== join(root, '.git'),
  );
  const covers = [...new Set(hidden)]
    .filter(path => existsSync(path))
    .map(path => bind(emptyDirectory(place), path, false));
  return hasGitInside(record) ? [...covers, ...showGit(root, place)] : covers;
}

/** As a directory where it is one outside, and else as a file that leads there. */
function showGit(root: string, { gitDir, pointerFile }: SandboxPlace): Mount[] {
  const entry = join(root, '.git');
  const isFile = lstatSync(entry, { throwIfNoEntry: false })?.isFile() === true;
  return [
    bind(gitDir, INSIDE.git, true),
    isFile ? bind(pointerFile, entry, false) : bind(gitDir, entry, true),
  ];
}

/** Of the repository only what commits need is writable, as in policy/surgical-mounts.ts. */
async function showRepository(record: WorkspaceRecord): Promise<Mount[]> {
  const { commonDir } = record;
  if (commonDir === null || !hasGitInside(record) || requireSettings(record).git !== 'surgical') return [];
  await mkdir(join(commonDir, 'logs'), { recursive: true });
  const parts = ['objects', 'refs', 'logs'].map(name => part(commonDir, name, true));
  const snapshots = join('refs', 'carrel');
  const covered = existsSync(join(commonDir, snapshots)) ? [part(commonDir, snapshots, false)] : [];
  return [bind(commonDir, INSIDE.repository, false), ...parts, ...covered];
}

const part = (commonDir: string, name: string, writable: boolean): Mount =>
  bind(join(commonDir, name), join(INSIDE.repository, name), writable);

const bind = (from: string, to: string, writable: boolean): Mount => ({ kind: 'bind', from, to, writable });
