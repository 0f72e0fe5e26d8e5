import { existsSync, statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import type { Git } from '../../git/git.js';
import { listSettings } from '../../git/repository/list-settings.js';
import { INSIDE, type Mount } from '../../runtime/policy.js';
import { hasGitInside, isInPlace } from '../git-inside.js';
import { requireSettings } from '../require-settings.js';
import type { SandboxPlace } from '../sandbox-place.js';

export interface ParentTools {
  readonly git: Git;
  /** That of the user, with HOME. */
  readonly environment: Readonly<Record<string, string>>;
}

/** With `run`, where git inside looks for hooks; it becomes a mount point, which nothing inside can replace. */
export async function createHooksPoint(record: WorkspaceRecord, { gitDir }: SandboxPlace): Promise<void> {
  if (runsHooks(record)) await mkdir(join(gitDir, 'hooks'), { recursive: true });
}

const runsHooks = (record: WorkspaceRecord): boolean =>
  showsParent(record) && record.sandbox?.hooks === 'run';

/** With `surgical` they are visible in the repository itself. */
const showsParent = (record: WorkspaceRecord): boolean => {
  const { hooks = 'hide', git } = requireSettings(record);
  return hooks !== 'hide' && git === 'private' && hasGitInside(record);
};

/**
 * The hooks and the configuration of the repository, read-only, where the user chose to show them (`sandbox.hooks`); with `run`
 * the hooks are those of the private git directory too. The hooks run inside only: git outside never sees that directory.
 */
export async function findParentMounts(
  { git, environment }: ParentTools,
  record: WorkspaceRecord,
): Promise<Mount[]> {
  const { commonDir, repository, path } = record;
  if (commonDir === null || !showsParent(record)) return [];
  const settings = await listSettings(git, commonDir);
  const chosen = settings
    .filter(({ key, origin }) => key === 'core.hookspath' && origin !== '')
    .at(-1)?.value;
  const home = environment.HOME ?? '';
  const hooks = chosen ? resolve(repository, chosen.replace(/^~(?=\/)/, home)) : join(commonDir, 'hooks');
  const config = join(commonDir, 'config');
  const places = [
    INSIDE.parentHooks,
    ...(runsHooks(record) ? [join(INSIDE.git, 'hooks')] : []),
    ...(runsHooks(record) && isInPlace(record) && isDirectory(join(path, '.git'))
      ? [join(path, '.git', 'hooks')]
      : []),
  ];
  return [
    ...(existsSync(config) ? [readOnly(config, INSIDE.parentConfig)] : []),
    ...(isDirectory(hooks) ? places.map(place => readOnly(hooks, place)) : []),
  ];
}

const isDirectory = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
const readOnly = (from: string, to: string): Mount => ({ kind: 'bind', from, to, writable: false });
