import { lstat, mkdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { carrelError, ignoreMissing } from '../../domain/error/error.js';
import type { SandboxPlace } from '../sandbox-place.js';

/**
 * jj inside a sandbox: a separate repository, colocated with the private git directory. Its data is bound over `.jj` of the
 * workspace, which outside is an empty directory: the user's jj would follow instructions that the agent wrote there.
 */
export interface PrivateJjRequest {
  readonly place: SandboxPlace;
  /** The workspace's files. */
  readonly workTree: string;
}

/** Creates its directory before the sandbox is opened. Restored files stay. */
export async function createPrivateJj({ place, workTree }: PrivateJjRequest): Promise<void> {
  await mkdir(place.jjDir, { recursive: true, mode: 0o700 });
  await requireMountPoint(workTree);
}

/** Without it there is only git inside, and HEAD stays on the branch. */
export async function removePrivateJj({ place, workTree }: PrivateJjRequest): Promise<void> {
  await rm(place.jjDir, { recursive: true, force: true });
  await rmdir(mountPointOf(workTree)).catch(ignoreMissing);
}

/** The directory to bind over `.jj`; null where there is no jj inside. UNSAFE_PATH */
export async function findJjDir({ place, workTree }: PrivateJjRequest): Promise<string | null> {
  if (!(await lstat(place.jjDir).catch(ignoreMissing))) return null;
  await requireMountPoint(workTree);
  return place.jjDir;
}

/** Whether there is a jj inside that has made its repository. */
export async function hasJj({ jjDir }: SandboxPlace): Promise<boolean> {
  return (await lstat(join(jjDir, 'repo')).catch(ignoreMissing)) !== undefined;
}

export const mountPointOf = (workTree: string): string => join(workTree, '.jj');

/** Through a link the directory would be mounted somewhere else. */
async function requireMountPoint(workTree: string): Promise<void> {
  const path = mountPointOf(workTree);
  const present = await lstat(path).catch(ignoreMissing);
  if (present?.isDirectory()) return;
  if (present) throw carrelError('UNSAFE_PATH', { path, root: workTree });
  // Without the workspace's directory nothing is opened, and callers that need it report that.
  await mkdir(path, { mode: 0o755 }).catch(ignoreMissing);
}
