import { carrelError } from '../../domain/error/error.js';
import { createId } from '../../domain/id.js';
import type { Risk } from '../../domain/workspace/risk.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { readRef } from '../../git/refs/refs.js';
import type { Context } from '../context.js';
import { requireUnheld } from '../guard/require-idle.js';
import { requireReady } from '../guard/require-ready.js';
import { locateRepository } from '../repository/locate-repository.js';
import { applyTemplate, type Settings } from '../settings/workspace-settings.js';
import { requireTrust } from '../trust/trust.js';
import type { ResetInput } from './reset.js';

/** Everything that can be decided before anything changes. */
export interface ResetPlan {
  readonly snapshotId: string;
  readonly settings: Settings;
  /** For a plain copy: where the vault has the files that it started with. */
  readonly startsAt?: string | undefined;
}

/** NOT_SUPPORTED, WORKSPACE_BUSY, WORKSPACE_MISSING, SETUP_NOT_TRUSTED and others. */
export async function planReset(
  context: Context,
  record: WorkspaceRecord,
  { setup, trust }: Pick<ResetInput, 'setup' | 'trust'>,
): Promise<ResetPlan> {
  const { backend, template } = record;
  if (!context.backends.of(backend).ownsFiles)
    throw carrelError('NOT_SUPPORTED', { what: 'be reset: its files are your own directory', backend });
  await requireReady(context, record);
  await requireUnheld(context, record);
  const configured = await applyTemplate(context, { root: record.repository }, template ?? undefined);
  const settings = setup ? configured : withoutSetup(configured);
  if (setup) await requireTrustedSetup(context, record, settings, trust);
  return { snapshotId: createId('snap', context.ids), settings, ...(await findStart(context, record)) };
}

export const withoutSetup = (settings: Settings): Settings => ({ ...settings, setup: [], install: 'off' });

async function requireTrustedSetup(
  context: Pick<Context, 'store' | 'backends' | 'git' | 'places' | 'narrate' | 'onStep'>,
  record: WorkspaceRecord,
  settings: Settings,
  trust: boolean | undefined,
): Promise<void> {
  const { base, repository: root } = record;
  const repository =
    record.commonDir === null
      ? await context.backends.of(record.backend).locate(root)
      : await locateRepository(context, root);
  const place = {
    ref: base.ref ?? undefined,
    commit: base.commit,
    isSandboxed: record.sandbox !== undefined,
  };
  await requireTrust(context, repository, settings, place, trust);
}

async function findStart(
  context: Pick<Context, 'backends'>,
  record: WorkspaceRecord,
): Promise<Pick<ResetPlan, 'startsAt'>> {
  const { findStart: find } = context.backends.of(record.backend);
  if (!find) return {};
  const startsAt = await find(record);
  const { backend } = record;
  if (startsAt === undefined)
    throw carrelError('NOT_SUPPORTED', {
      what: 'be reset: the files that it started with are lost',
      backend,
    });
  return { startsAt };
}

/** Carrel moves no branch of the user backwards. */
export async function findBranchRisk(
  { git }: Pick<Context, 'git'>,
  { branch, ownsBranch, commonDir, base, path }: WorkspaceRecord,
): Promise<Risk[]> {
  if (branch === null || ownsBranch || commonDir === null) return [];
  const tip = await readRef(git, { gitDir: commonDir }, `refs/heads/${branch}`);
  if (tip === undefined || tip === base.commit) return [];
  const message = `its branch ${branch} existed before the workspace and has moved since`;
  const advice = `move it yourself with: git -C ${path} reset --hard ${base.commit}`;
  return [{ kind: 'commits', message, items: [branch], flag: null, advice }];
}
