import type { Environment } from '../../domain/command/environment.js';
import type { Snapshot } from '../../domain/snapshot/snapshot.js';
import type { IncludedFile, WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { commandEnvironment } from '../../exec/command-environment.js';
import { COMMAND_ID_VARIABLE } from '../../exec/process/process-tree.js';
import { createProcessEnvironment } from '../../exec/process-environment.js';
import type { BytePath } from '../../git/byte-path.js';
import { initSubmodules } from '../../workspace/setup/fill-submodules.js';
import { includeFiles } from '../../workspace/setup/include-files.js';
import { runInstall } from '../../workspace/setup/install-dependencies.js';
import { runSetup } from '../../workspace/setup/setup-commands.js';
import { describeSetupFiles, listUntracked } from '../../workspace/setup/setup-leftovers.js';
import { workspaceVariables } from '../../workspace/setup/workspace-variables.js';
import type { Context } from '../context.js';
import { groupVariables } from '../group/group-records.js';
import { includeInSandbox } from '../sandbox/include-in-sandbox.js';
import { createInsideEnvironment } from '../sandbox/run-in-sandbox.js';
import type { Settings } from '../settings/workspace-settings.js';

/** The part of an operation's progress in which files are made and prepared. */
export interface MakingProgress {
  readonly step: (step: 'registered' | 'populated' | 'included' | 'prepared') => Promise<void>;
}

export interface PreparationOptions {
  readonly progress: MakingProgress;
  readonly signal?: AbortSignal | undefined;
  /** A restored workspace has its files already. */
  readonly from?: Snapshot | undefined;
}

export interface Preparation {
  readonly included: readonly IncludedFile[];
  readonly warnings: readonly string[];
}

/** Adds what git does not check out: ignored files, submodules, dependencies, and the results of setup commands. */
export async function prepareWorkspace(
  context: Context,
  record: WorkspaceRecord,
  settings: Settings,
  options: PreparationOptions,
): Promise<Preparation> {
  const files = await copyIncludedFiles(context, record, settings, options);
  await options.progress.step('included');
  const submodules = await fetchSubmodules(context, record, settings, options);
  // Restored files are the user's work.
  const before = options.from ? await lookForUntracked(context, record) : [];
  const { hasRun, warnings: installed } = await runCommands(context, record, settings, options);
  const left = hasRun ? await describeSetupLeft(context, record, before) : [];
  await options.progress.step('prepared');
  return { included: [...files.files, ...left], warnings: [...files.warnings, ...submodules, ...installed] };
}

/** Files left by setup commands are distinguished from an agent's later work; see workspace/setup/setup-leftovers.ts. */
async function describeSetupLeft(
  context: Pick<Context, 'backends' | 'git' | 'places'>,
  record: WorkspaceRecord,
  before: readonly BytePath[],
): Promise<IncludedFile[]> {
  const after = await lookForUntracked(context, record);
  return describeSetupFiles(
    record.path,
    after.filter(path => !before.includes(path)),
  );
}

async function lookForUntracked(
  { git, backends, places }: Pick<Context, 'backends' | 'git' | 'places'>,
  record: WorkspaceRecord,
): Promise<readonly BytePath[]> {
  const place = backends.of(record.backend).workTree(record);
  return place ? listUntracked(git, place, places.temporaryRoot) : [];
}

async function copyIncludedFiles(
  context: Pick<Context, 'store' | 'backends' | 'git'>,
  record: WorkspaceRecord,
  settings: Settings,
  options: PreparationOptions,
) {
  const { repository, commonDir, path } = record;
  // The user's own directories, and plain copies, which already have everything, get nothing.
  const { ownsFiles } = context.backends.of(record.backend);
  if (options.from || commonDir === null || !ownsFiles) return { files: [], warnings: [] };
  const request = { repositoryRoot: repository, commonDir, destination: path };
  if (record.sandbox) return includeInSandbox(context, record, settings.sandboxInclude, request);
  return includeFiles(context.git, { ...request, patterns: settings.include });
}

async function fetchSubmodules(
  context: Pick<Context, 'backends' | 'git'>,
  record: WorkspaceRecord,
  settings: Settings,
  options: PreparationOptions,
) {
  const place = context.backends.of(record.backend).workTree(record);
  // In a sandbox the agent fetches them: outside, git would follow directories that the agent can write.
  if (!place || settings.submodules === 'skip' || record.sandbox || options.from?.isolation === 'full')
    return [];
  return initSubmodules(context.git, place, { timeoutMs: settings.setupTimeoutMs, signal: options.signal });
}

async function runCommands(
  context: Pick<Context, 'sandboxes' | 'ids' | 'environment' | 'narrate' | 'store'>,
  record: WorkspaceRecord,
  settings: Settings,
  options: PreparationOptions,
) {
  const environment = await openSetupEnvironment(context, record);
  let hasRun = false;
  const run: Environment['run'] = command => {
    hasRun = true;
    return environment.run(command);
  };
  const shared = {
    environment: { run },
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
    timeoutMs: settings.setupTimeoutMs,
  });
  return { hasRun, warnings };
}

async function openSetupEnvironment(
  context: Pick<Context, 'sandboxes' | 'ids' | 'environment' | 'narrate' | 'store'>,
  record: WorkspaceRecord,
): Promise<Environment> {
  if (record.sandbox) return createInsideEnvironment(context, record);
  const place = { directory: record.path, checkout: record.repository };
  const variables = { ...workspaceVariables(record), ...(await groupVariables(context, record)) };
  return createProcessEnvironment(record.path, {
    ...commandEnvironment(context.environment, place, variables),
    // With this mark recovery finds their processes when this one dies.
    [COMMAND_ID_VARIABLE]: record.id,
  });
}
