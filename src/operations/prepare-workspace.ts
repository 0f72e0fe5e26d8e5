import type { Snapshot } from '../domain/snapshot.js';
import type { IncludedFile, WorkspaceRecord } from '../domain/workspace.js';
import { commandEnvironment } from '../exec/environment.js';
import { COMMAND_ID_VARIABLE } from '../exec/process-tree.js';
import { runProcess } from '../exec/run.js';
import { workspaceVariables } from '../workspace/environment.js';
import { includeFiles } from '../workspace/include-files.js';
import { runInstall } from '../workspace/install.js';
import { runSetup } from '../workspace/setup.js';
import { initSubmodules } from '../workspace/submodules.js';
import type { Context } from './context.js';
import type { Progress } from './journaled.js';
import { runnerInside } from './run-inside.js';
import type { Settings } from './settings.js';

export interface PreparationOptions {
  readonly progress: Progress<'up'>;
  readonly signal?: AbortSignal | undefined;
  /** A restored workspace has its files already. */
  readonly from?: Snapshot | undefined;
}

export interface Preparation {
  readonly included: readonly IncludedFile[];
  readonly warnings: readonly string[];
}

/** Brings along what git does not: ignored files, submodules, dependencies, and what the setup commands make. */
export async function prepareWorkspace(
  context: Context,
  record: WorkspaceRecord,
  settings: Settings,
  options: PreparationOptions,
): Promise<Preparation> {
  const files = await bringFiles(context, record, settings, options);
  await options.progress.step('included');
  const submodules = await bringSubmodules(context, record, settings, options);
  const installed = await runCommands(context, record, settings, options);
  await options.progress.step('prepared');
  return { included: files.files, warnings: [...files.warnings, ...submodules, ...installed] };
}

async function bringFiles(
  context: Context,
  record: WorkspaceRecord,
  settings: Settings,
  options: PreparationOptions,
) {
  const { repository, commonDir, path } = record;
  // Directories of the user's own, and plain copies, which have everything already, get nothing.
  const { ownsFiles } = context.backends[record.backend];
  if (options.from || commonDir === null || !ownsFiles) return { files: [], warnings: [] };
  const patterns = settings.include;
  return includeFiles(context.git, { repositoryRoot: repository, commonDir, patterns, destination: path });
}

async function bringSubmodules(
  context: Context,
  record: WorkspaceRecord,
  settings: Settings,
  options: PreparationOptions,
) {
  const place = context.backends[record.backend].workTree(record);
  // In a sandbox they are the agent's to fetch: outside, git would follow directories that it can write.
  if (!place || settings.submodules === 'skip' || record.sandbox || options.from?.isolation === 'full')
    return [];
  return initSubmodules(context.git, place, { timeoutMs: settings.setupTimeoutMs, signal: options.signal });
}

async function runCommands(
  context: Context,
  record: WorkspaceRecord,
  settings: Settings,
  options: PreparationOptions,
) {
  const shared = {
    // The marker leads recovery to what is left of them when this process dies.
    env: {
      ...commandEnvironment(context.environment, workspaceVariables(record)),
      [COMMAND_ID_VARIABLE]: record.id,
    },
    run: record.sandbox ? runnerInside(context, record) : runProcess,
    narrate: context.narrate,
    signal: options.signal,
  };
  const warnings =
    settings.install === 'auto'
      ? await runInstall({ ...shared, directory: record.path, timeoutMs: settings.installTimeoutMs })
      : [];
  await runSetup({
    ...shared,
    commands: settings.setup,
    cwd: record.path,
    timeoutMs: settings.setupTimeoutMs,
  });
  return warnings;
}
