import { readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { ignoreMissing } from '../../domain/error/error.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { removeTree } from '../../workspace/files/remove-tree.js';
import { cleanUpIncoming } from '../incoming/clean-up-incoming.js';
import { coverAfterCommand } from '../nested-git/guard-outside.js';
import { type SandboxPlace, sandboxPlace } from '../sandbox-place.js';
import type { SandboxesOptions } from '../sandboxes.js';
import { stopAbandonedCommands } from './command-owners.js';

/**
 * Deletes what a workspace had besides its files. Renamed first: that name marks an intended deletion. Recovery never
 * deletes anything under its own name, with a record or without.
 */
export async function removeSandbox(
  { runtimes, stateDir }: SandboxesOptions,
  record: WorkspaceRecord,
  place: SandboxPlace,
): Promise<void> {
  await runtimes[record.runtime].stop(record.id);
  if (record.commonDir !== null) await cleanUpIncoming(record.commonDir, record.id);
  const gone = join(rootOf(stateDir), `${GONE}${record.id}`);
  await rename(place.root, gone).catch(ignoreMissing);
  await removeTree(gone);
}

/** Everything inside, with several repositories in all of them; one of the parts may have had its own sandbox. */
export async function stopSandbox({ runtimes }: SandboxesOptions, record: WorkspaceRecord): Promise<void> {
  const { id, group, runtime } = record;
  for (const each of new Set([group?.id ?? id, id])) await runtimes[runtime].stop(each);
}

/** A part that was alone in a container, while the first one was made or reset, is in the container of all of them from now on. */
export async function stopAlone(
  { runtimes }: SandboxesOptions,
  { id, group, runtime }: WorkspaceRecord,
): Promise<void> {
  if (group && group.id !== id && runtimes[runtime].capabilities.longLived) await runtimes[runtime].stop(id);
}

const rootOf = (stateDir: string): string => join(stateDir, 'sandboxes');

const GONE = '.gone-';

type Find = (workspaceId: string) => Promise<WorkspaceRecord | undefined>;

/**
 * Cleans up after dead processes. What can't be cleaned up now, because an engine is gone or a directory can't be deleted,
 * must not block other commands: it is reported, and the next command tries again.
 */
export async function cleanUpSandboxes(options: SandboxesOptions, find: Find): Promise<string[]> {
  const root = rootOf(options.stateDir);
  const warnings: string[] = [];
  const attempt = async (what: string, action: () => Promise<void>) => {
    await action().catch(error => {
      warnings.push(`${what} could not be cleaned up yet: ${error instanceof Error ? error.message : error}`);
    });
  };
  for (const name of (await readdir(root).catch(ignoreMissing)) ?? []) {
    if (name.startsWith(GONE)) await attempt(name, () => removeTree(join(root, name)));
    if (name.startsWith('ws_')) await attempt(name, () => cleanUpSandbox(options, find, name));
  }
  for (const engine of ['podman', 'docker'] as const)
    await attempt(engine, () => stopUnknown(options, find, engine));
  return warnings;
}

/** Abandoned commands, with their leftovers in the repository. */
async function cleanUpSandbox(options: SandboxesOptions, find: Find, id: string): Promise<void> {
  const place = sandboxPlace(options.stateDir, id);
  const found = await find(id);
  // A snapshot, a landing or a removal imports commits as well, without a command inside.
  if (found?.commonDir) await cleanUpIncoming(found.commonDir, id);
  await stopAbandonedCommands(place, options.self, async () => {
    const record = await find(id);
    if (!record) return;
    await options.runtimes[record.runtime].stop(id);
    for (const member of await options.membersOf(record)) await cleanUpMember(options, member);
  });
}

/** A command in the sandbox works in everything that it holds. */
async function cleanUpMember(options: SandboxesOptions, record: WorkspaceRecord): Promise<void> {
  const { id, commonDir, status, sandbox } = record;
  if (commonDir !== null) await cleanUpIncoming(commonDir, id);
  if (status === 'ready' && sandbox)
    await coverAfterCommand(options, record, sandboxPlace(options.stateDir, id));
}

/** Containers of workspaces that are gone: their engine was not available when they were removed. */
async function stopUnknown(
  { runtimes }: SandboxesOptions,
  find: Find,
  engine: 'podman' | 'docker',
): Promise<void> {
  for (const id of await runtimes[engine].list()) if (!(await find(id))) await runtimes[engine].stop(id);
}
