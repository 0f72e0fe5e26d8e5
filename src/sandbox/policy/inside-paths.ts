import { join } from 'node:path';
import type { GroupPlace } from '../../domain/workspace/workspace.js';
import { INSIDE } from '../../runtime/policy.js';
import type { RuntimeCapabilities } from '../../runtime/runtime.js';
import type { SandboxPlace } from '../sandbox-place.js';
import { insideStore } from './object-stores.js';

/** Where the parts of a sandbox are, as its commands see them. */
export interface InsidePlaces {
  readonly home: string;
  readonly git: string;
  /** Path of an object store that git borrows from, by index; `path` is the host's. */
  store(at: number, path: string): string;
  /** Whether they are at other paths than on the host. */
  readonly areMounted: boolean;
}

export const MOUNTED: InsidePlaces = {
  home: INSIDE.home,
  git: INSIDE.git,
  store: insideStore,
  areMounted: true,
};

/**
 * A runtime without mounts shows everything at its own path. A part of a workspace with several repositories has its own places, by
 * its alias: a restored part has the same.
 */
export function insidePlaces(
  place: Pick<SandboxPlace, 'home' | 'gitDir'>,
  { mounts }: Pick<RuntimeCapabilities, 'mounts'>,
  group?: GroupPlace | undefined,
): InsidePlaces {
  if (mounts) return group ? partPlaces(group) : MOUNTED;
  return { home: place.home, git: place.gitDir, store: (_at, path) => path, areMounted: false };
}

function partPlaces({ alias }: GroupPlace): InsidePlaces {
  const root = join(INSIDE.parts, alias);
  const store = (at: number) => (at === 0 ? join(root, 'objects') : join(root, 'alternates', String(at - 1)));
  return { ...MOUNTED, git: join(root, 'git'), store };
}

/**
 * Further variables for commands where nothing is mounted: git does not find its private directory through the workspace's
 * `.git`, and /tmp is shared. Git in another repository inside needs them unset.
 */
export function unmountedVariables(
  { home, git, areMounted }: InsidePlaces,
  workTree: string | null,
): Record<string, string> {
  if (areMounted) return {};
  const ofGit = workTree === null ? {} : { GIT_DIR: git, GIT_WORK_TREE: workTree };
  return { ...ofGit, TMPDIR: join(home, TEMPORARY) };
}

/** Below the private home, for programs that ask for a place for temporary files. */
export const TEMPORARY = '.tmp';
