import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { GcItem } from '../../domain/report/result.js';
import { formatDuration } from '../../domain/text/format-quantity.js';
import type { Context } from '../context.js';

/**
 * Expired things are removed in two steps. The first clean-up that finds one expired marks it; a later one removes it when the
 * machine has run for this long since. Running time is counted independently of the clock, which may have been wrong when the thing
 * was created, or be wrong now.
 */
export const WAIT_MS = 86_400_000;

export interface ExpiryMark {
  /** By the clock, for display. */
  readonly markedAt: string;
  /** Running time since the mark, up to the start of the machine in `boot`. */
  readonly waitedMs: number;
  readonly boot: string;
  readonly uptimeMs: number;
}

/** A lower bound by the machine's own count: the time before a reboot is not fully known. */
export function waitedSince(
  { steadyTime }: Pick<Context, 'steadyTime'>,
  mark: ExpiryMark | undefined,
): number | undefined {
  if (!mark) return undefined;
  const { boot, uptimeMs } = steadyTime();
  return mark.waitedMs + (mark.boot === boot ? Math.max(0, uptimeMs - mark.uptimeMs) : uptimeMs);
}

export function markNow(
  context: Pick<Context, 'now' | 'steadyTime'>,
  former: ExpiryMark | undefined,
): ExpiryMark {
  const markedAt = former?.markedAt ?? new Date(context.now()).toISOString();
  return { markedAt, waitedMs: waitedSince(context, former) ?? 0, ...context.steadyTime() };
}

/** For display: when an expired thing is removed. */
export const describeWait = (expired: string, waitedMs: number | undefined): string =>
  `${expired}; removed by a later gc, in ${formatDuration(WAIT_MS - (waitedMs ?? 0))} at the earliest`;

/**
 * For what has no record to be marked in: the item that was planned, or one that keeps it because the wait is not over.
 * Marks are files in the state directory.
 */
export async function waitForSecondStep(
  context: Pick<Context, 'now' | 'steadyTime' | 'places'>,
  planned: GcItem,
  execute: boolean,
): Promise<GcItem> {
  const file = markFile(context, planned);
  const mark = await readMark(file);
  const waitedMs = waitedSince(context, mark);
  if (waitedMs !== undefined && waitedMs >= WAIT_MS) return planned;
  if (execute) {
    await mkdir(directoryOf(context), { recursive: true });
    await writeFile(file, JSON.stringify(markNow(context, mark)));
  }
  const reason = describeWait(planned.reason, waitedMs);
  return { ...planned, action: 'keep', bytes: null, reason, outcome: execute ? 'kept' : 'planned' };
}

/** For things that are gone or have not expired after all. */
export async function removeMark(context: Pick<Context, 'places'>, item: MarkedItem): Promise<void> {
  await rm(markFile(context, item), { force: true });
}

type MarkedItem = Pick<GcItem, 'kind' | 'id'>;

const directoryOf = ({ places }: Pick<Context, 'places'>): string => join(places.stateDir, 'expiring');

const markFile = (context: Pick<Context, 'places'>, { kind, id }: MarkedItem): string =>
  join(directoryOf(context), `${kind}-${encodeURIComponent(id)}.json`);

/** An incomplete or invalid mark is ignored: then the wait starts over. */
async function readMark(file: string): Promise<ExpiryMark | undefined> {
  try {
    const mark = JSON.parse(await readFile(file, 'utf8')) as Partial<ExpiryMark>;
    const { markedAt, waitedMs, boot, uptimeMs } = mark;
    const isWhole = Number.isFinite(waitedMs) && Number.isFinite(uptimeMs);
    return isWhole && typeof boot === 'string' && typeof markedAt === 'string'
      ? (mark as ExpiryMark)
      : undefined;
  } catch {
    return undefined;
  }
}
