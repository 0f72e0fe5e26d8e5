import { readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { ignoreMissing } from '../domain/error.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import { removeTree } from '../workspace/remove-tree.js';
import { endLeftCommands } from './command-owners.js';
import { sweepIncoming } from './incoming/sweep-incoming.js';
import { type SandboxPlace, sandboxPlace } from './place.js';
import type { SandboxesOptions } from './sandboxes.js';

/**
 * Deletes what a workspace had besides its files. Renamed first: whoever finds it under that name knows that it was given
 * up on purpose. Whatever is there under its own name, with a record or without, is never deleted by a sweep.
 */
export async function removeSandbox(
  { runtimes, stateDir }: SandboxesOptions,
  record: WorkspaceRecord,
  place: SandboxPlace,
): Promise<void> {
  await runtimes[record.runtime].stop(record.id);
  if (record.commonDir !== null) await sweepIncoming(record.commonDir, record.id);
  const gone = join(rootOf(stateDir), `${GONE}${record.id}`);
  await rename(place.root, gone).catch(ignoreMissing);
  await removeTree(gone);
}

const rootOf = (stateDir: string): string => join(stateDir, 'sandboxes');

const GONE = '.gone-';

type Find = (workspaceId: string) => Promise<WorkspaceRecord | undefined>;

/**
 * Settles what dead processes left. What can't be settled now, because an engine is gone or a directory can't be deleted,
 * must not stop anybody else: it is told, and tried again by the next command.
 */
export async function sweepSandboxes(options: SandboxesOptions, find: Find): Promise<string[]> {
  const root = rootOf(options.stateDir);
  const warnings: string[] = [];
  const attempt = async (what: string, action: () => Promise<void>) => {
    await action().catch(error => {
      warnings.push(`${what} could not be settled yet: ${error instanceof Error ? error.message : error}`);
    });
  };
  for (const name of (await readdir(root).catch(ignoreMissing)) ?? []) {
    if (name.startsWith(GONE)) await attempt(name, () => removeTree(join(root, name)));
    if (name.startsWith('ws_')) await attempt(name, () => settleLeft(options, find, name));
  }
  for (const engine of ['podman', 'docker'] as const)
    await attempt(engine, () => stopUnknown(options, find, engine));
  return warnings;
}

/** Commands that nobody waits for any more, with what they were doing to the repository. */
async function settleLeft(options: SandboxesOptions, find: Find, id: string): Promise<void> {
  await endLeftCommands(sandboxPlace(options.stateDir, id), options.self, async () => {
    const record = await find(id);
    if (!record) return;
    await options.runtimes[record.runtime].stop(id);
    if (record.commonDir !== null) await sweepIncoming(record.commonDir, id);
  });
}

/** Containers of workspaces that are gone: their engine was not there when they were to be removed. */
async function stopUnknown(
  { runtimes }: SandboxesOptions,
  find: Find,
  engine: 'podman' | 'docker',
): Promise<void> {
  for (const id of await runtimes[engine].list()) if (!(await find(id))) await runtimes[engine].stop(id);
}
