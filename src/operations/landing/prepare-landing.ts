import { carrelError, isCarrelError } from '../../domain/error/error.js';
import type { AutorunFile } from '../../domain/workspace/autorun-file.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import type { Landing, LandPlan, LandStrategy } from '../../workspace/backend.js';
import type { Context } from '../context.js';
import { listLandedAutorunFiles } from '../workspace/list-autorun-files.js';

/** How a workspace is landed, apart from what surrounds it. */
export interface LandingRequest {
  readonly into?: string | undefined;
  readonly strategy: LandStrategy;
  readonly message?: string | undefined;
  readonly allowAutorunFiles?: boolean | undefined;
}

export interface PreparedLanding {
  readonly plan: LandPlan;
  readonly autorunFiles: readonly AutorunFile[];
}

/** Merges and checks; no ref of the user moves. */
export async function prepareLanding(
  context: Pick<Context, 'store' | 'git' | 'loadConfig' | 'narrate'>,
  record: WorkspaceRecord,
  landing: Landing,
  request: LandingRequest,
): Promise<PreparedLanding> {
  const plan = await prepare(context, record, landing, request);
  const autorunFiles = await listLandedAutorunFiles(context, record, plan);
  if (autorunFiles.length > 0 && !request.allowAutorunFiles)
    await refuseIfConfigured(context, record, plan, autorunFiles);
  return { plan, autorunFiles };
}

/** LAND_AUTORUN_FILES */
async function refuseIfConfigured(
  context: Pick<Context, 'loadConfig'>,
  { name, repository }: WorkspaceRecord,
  { into }: LandPlan,
  files: readonly AutorunFile[],
): Promise<void> {
  const { config } = await context.loadConfig(repository);
  if (config.land.autorunFiles === 'refuse') throw carrelError('LAND_AUTORUN_FILES', { name, into, files });
}

/** With a message, uncommitted changes are committed and landed too. */
async function prepare(
  context: Pick<Context, 'narrate'>,
  record: WorkspaceRecord,
  landing: Landing,
  request: LandingRequest,
): Promise<LandPlan> {
  const { into, strategy, message } = request;
  try {
    return await landing.prepare(record, { into, strategy, message });
  } catch (error) {
    if (message === undefined || !isCarrelError(error, 'LAND_UNCOMMITTED')) throw error;
    // git inside has already committed what it sees.
    if (record.sandbox) throw hiddenChangesError(record, error.details.files as readonly string[]);
    const { commit, leftOut } = await landing.commitAll(record, message);
    for (const line of leftOut) context.narrate(line);
    context.narrate(`committed the changes in ${record.name} as ${commit.slice(0, 10)}`);
    return landing.prepare(record, { into, strategy, message });
  }
}

const hiddenChangesError = ({ name }: WorkspaceRecord, files: readonly string[]): Error =>
  carrelError('LAND_UNCOMMITTED', { name, files, isHiddenInside: true });
