import { lstat, mkdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { carrelError, ignoreMissing } from '../domain/error.js';
import type { SandboxPlace } from './place.js';

/**
 * jj inside a sandbox: a repository of its own, colocated with the private git directory. Its data is bound over `.jj` of
 * the workspace, which outside is an empty directory: a jj of the user's that looked into it would do what the agent
 * wrote there.
 */
export interface JjFaceRequest {
  readonly place: SandboxPlace;
  /** The workspace's files. */
  readonly workTree: string;
}

/** Makes room for it, before the sandbox is opened. What a snapshot brought back stays. */
export async function createJjFace({ place, workTree }: JjFaceRequest): Promise<void> {
  await mkdir(place.jjDir, { recursive: true, mode: 0o700 });
  await requireMountPoint(workTree);
}

/** Without it git is all there is inside, and HEAD stays on the branch. */
export async function removeJjFace({ place, workTree }: JjFaceRequest): Promise<void> {
  await rm(place.jjDir, { recursive: true, force: true });
  await rmdir(mountPointOf(workTree)).catch(ignoreMissing);
}

/** The directory that is to be bound over `.jj`; null where there is no jj inside. UNSAFE_PATH */
export async function findJjDir({ place, workTree }: JjFaceRequest): Promise<string | null> {
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
  // Without the workspace's own directory nothing is opened, and whoever needs it says so.
  await mkdir(path, { mode: 0o755 }).catch(ignoreMissing);
}
