import { carrelError, isCarrelError } from '../../domain/error/error.js';
import type { LandResult } from '../../domain/report/result.js';
import type { AutorunFile } from '../../domain/workspace/autorun-file.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import type { Context } from '../context.js';
import { aliasOf } from '../group/group-records.js';
import { journaled, type Progress } from '../guard/journaled.js';
import { requireReady } from '../guard/require-ready.js';
import { whileReady } from '../guard/while-ready.js';
import { commitInSandbox } from '../sandbox/commit-in-sandbox.js';
import { requireImportedCommits } from '../sandbox/import-commits.js';
import { inAllLocks, type LandedPart, moveBack, requireLanding } from './move-back.js';
import { type LandingRequest, type PreparedLanding, prepareLanding } from './prepare-landing.js';

export interface PartsRequest extends LandingRequest {
  /** Where `into` is left out: the branch in each repository, by alias. */
  readonly intoParts?: Readonly<Record<string, string>> | undefined;
  /** Respected until the first branch moves. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Lands all parts of a workspace with several repositories, or none: merges and checks in all of them, then moves one branch after
 * the other. When one can't be moved, those before it are moved back. Parts without new commits are left alone; LAND_NOTHING when
 * that is all of them.
 */
export async function landParts(
  context: Context,
  parts: readonly WorkspaceRecord[],
  request: PartsRequest,
): Promise<{ readonly landed: Omit<LandResult, 'removed' | 'warnings'>; readonly isFastForward: boolean }> {
  const [first] = parts as [WorkspaceRecord];
  for (const part of parts) await whileReady(context, part, () => bringOut(context, part, request));
  const operation = {
    kind: 'land',
    workspaceId: first.id,
    repositoryId: first.repositoryId,
    places: parts.map(({ commonDir }) => commonDir),
  } as const;
  // Cleared while a branch may be moved and not moved back: then recovery does that.
  let isUndone = true;
  const prepared = await whileReady(context, first, () =>
    journaled(
      context,
      operation,
      progress =>
        inAllLocks(context, parts, async () => {
          await progress.step('recorded');
          const found = await prepareParts(context, parts, request);
          request.signal?.throwIfAborted();
          await progress.step('merged', { parts: found.map(describePart) });
          isUndone = false;
          await movePartsOrNone(context, found, progress).catch(async error => {
            isUndone = await moveBack(context, found.map(toLandedPart));
            throw error;
          });
          isUndone = true;
          await progress.step('done');
          return found;
        }),
      async () => isUndone,
    ),
  );
  return describeLanding(parts, prepared, request);
}

/** With a sandbox, the commits made inside come to the branches first. */
async function bringOut(
  context: Context,
  part: WorkspaceRecord,
  { message, signal }: PartsRequest,
): Promise<void> {
  await requireReady(context, part);
  if (part.sandbox && message !== undefined) await commitInSandbox(context, part, message, signal);
  await requireImportedCommits(context, part, signal);
}

interface PreparedPart extends PreparedLanding {
  readonly part: WorkspaceRecord;
}

const describePart = ({ part, plan }: PreparedPart) => ({ id: part.id, plan });
const toLandedPart = ({ part, plan }: PreparedPart): LandedPart => ({ record: part, plan });

async function prepareParts(
  context: Context,
  parts: readonly WorkspaceRecord[],
  request: PartsRequest,
): Promise<PreparedPart[]> {
  const prepared: PreparedPart[] = [];
  let nothing: unknown;
  for (const part of parts) {
    try {
      const landing = requireLanding(context, part);
      const into = request.into ?? request.intoParts?.[aliasOf(part)];
      const own = { ...request, into };
      prepared.push({ part, ...(await prepareLanding(context, part, landing, own)) });
    } catch (error) {
      if (!isCarrelError(error, 'LAND_NOTHING')) throw withAlias(part, error);
      nothing ??= error;
    }
  }
  if (prepared.length === 0) throw nothing;
  return prepared;
}

/** The files in the error say which repository they are in. */
function withAlias(part: WorkspaceRecord, error: unknown): unknown {
  const prefix = (path: string) => `${aliasOf(part)}/${path}`;
  if (isCarrelError(error, 'LAND_CONFLICT')) {
    const details = error.details as { name: string; into: string; files: readonly string[] };
    return carrelError('LAND_CONFLICT', { ...details, files: details.files.map(prefix) }, error);
  }
  if (isCarrelError(error, 'LAND_UNCOMMITTED')) {
    const details = error.details as { name: string; files: readonly string[] };
    return carrelError('LAND_UNCOMMITTED', { ...details, files: details.files.map(prefix) }, error);
  }
  if (isCarrelError(error, 'LAND_AUTORUN_FILES')) {
    const details = error.details as unknown as Prefixable;
    return carrelError('LAND_AUTORUN_FILES', { ...details, files: withAliases(part, details.files) }, error);
  }
  return error;
}

interface Prefixable {
  readonly name: string;
  readonly into: string;
  readonly files: readonly AutorunFile[];
}

const withAliases = (part: WorkspaceRecord, files: readonly AutorunFile[]): AutorunFile[] =>
  files.map(file => ({ ...file, path: `${aliasOf(part)}/${file.path}` }));

async function movePartsOrNone(
  context: Pick<Context, 'store' | 'backends' | 'self'>,
  prepared: readonly PreparedPart[],
  progress: Progress<'land'>,
): Promise<void> {
  // Until the last one is moved, recovery moves all of them back, so that single moves are not written.
  for (const { part, plan } of prepared)
    await requireLanding(context, part).move(part, plan, async step => progress.pass(step));
  const landed = prepared.map(
    ({ part: { repositoryId, id: workspaceId }, plan: { into, before, after } }) => ({
      type: 'workspace.landed' as const,
      ...{ repositoryId, workspaceId, data: { into, before, after } },
    }),
  );
  await context.store.atomically(async ({ events, journal }) => {
    await events.append(landed);
    await journal.advance(progress.id, context.self, 'checked-out');
  });
}

function describeLanding(
  [first]: readonly WorkspaceRecord[],
  prepared: readonly PreparedPart[],
  { strategy }: PartsRequest,
) {
  const { id, name } = first as WorkspaceRecord;
  const repositories = prepared.map(({ part, plan: { into, before, after, commits, checkouts } }) => ({
    alias: aliasOf(part),
    ...{ id: part.id, into, before, after, commits },
    updatedCheckouts: [...checkouts],
  }));
  const [{ into, before, after }] = repositories as [(typeof repositories)[number]];
  const landed = {
    ...{ id, name, into, strategy, before, after, repositories },
    commits: repositories.reduce((sum, { commits }) => sum + commits, 0),
    updatedCheckouts: repositories.flatMap(({ updatedCheckouts }) => updatedCheckouts),
    autorunFiles: prepared.flatMap(({ part, autorunFiles }) => withAliases(part, autorunFiles)),
  };
  return { landed, isFastForward: prepared.every(({ plan }) => plan.isFastForward === true) };
}
