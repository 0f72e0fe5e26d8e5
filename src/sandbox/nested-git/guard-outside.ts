import { basename, dirname, join } from 'node:path';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { type BytePath, toBytePath } from '../../git/byte-path.js';
import type { Sandbox } from '../../runtime/runtime.js';
import { hasGitInside, isInPlace } from '../git-inside.js';
import { listOwnRepositories } from '../in-place/own-repositories.js';
import { requireSettings } from '../require-settings.js';
import type { SandboxPlace } from '../sandbox-place.js';
import type { SandboxesOptions } from '../sandboxes.js';
import { isBareOfBase } from './bare-of-base.js';
import { type CoverRequest, coverNestedGit, uncoverNestedGit } from './cover-nested.js';
import { hideGitlinks } from './hide-gitlinks.js';

type Options = Pick<SandboxesOptions, 'git' | 'workTreeOf' | 'open'>;

/** Before a command: uncovers the agent's repositories, and keeps the user's git out of submodules. Returns warnings. */
export async function uncoverBeforeCommand(
  options: Options,
  record: WorkspaceRecord,
  place: SandboxPlace,
  sandbox: Sandbox,
): Promise<string[]> {
  const warnings = await hideSubmodules(options, record);
  await uncoverNestedGit(await describeWork(options, record, place, async () => sandbox));
  return warnings;
}

/** After the last command: covers everything that the user's git would obey. Returns warnings. */
export async function coverAfterCommand(
  options: Options,
  record: WorkspaceRecord,
  place: SandboxPlace,
  sandbox?: Sandbox,
): Promise<string[]> {
  const open = async () => sandbox ?? options.open(record, place);
  const warnings = await coverNestedGit(await describeWork(options, record, place, open));
  return [...(await hideSubmodules(options, record)), ...warnings];
}

/** Commits made inside may have added submodule entries again. With `surgical`, the index is the agent's. */
export async function hideSubmodules(
  { git, workTreeOf }: Options,
  record: WorkspaceRecord,
): Promise<string[]> {
  const workTree = requireSettings(record).git === 'private' ? workTreeOf(record) : null;
  return workTree ? hideGitlinks(git, workTree, (record.base.commit as string).length) : [];
}

async function describeWork(
  { git, workTreeOf }: Options,
  record: WorkspaceRecord,
  place: SandboxPlace,
  open: () => Promise<Sandbox>,
): Promise<CoverRequest> {
  const workTree = workTreeOf(record);
  const isPrivate = requireSettings(record).git === 'private';
  const own = isPrivate && workTree ? [workTree.gitDir] : [];
  const shared = record.commonDir === null ? [] : [record.commonDir];
  return {
    root: record.path,
    includesTop: !hasGitInside(record),
    trusted: [...own, ...shared].map(directory => join(directory, 'modules')),
    agentsPlace: dirname(place.root),
    isOwnBare: directory => isBareOfBase(git, record, directory),
    own: isInPlace(record) ? await findOwn(record, place) : undefined,
    place,
    run: async command => (await open()).run(command),
  };
}

/** With what is covered at the top of a directory in place. */
async function findOwn(
  { path, commonDir }: WorkspaceRecord,
  place: SandboxPlace,
): Promise<ReadonlySet<BytePath>> {
  const top = commonDir !== null && dirname(commonDir) === path ? [basename(commonDir)] : [];
  const own = await listOwnRepositories(path, place);
  return new Set([...own, ...top].map(toBytePath));
}
