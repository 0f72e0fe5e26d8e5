import { rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isCarrelError } from '../../domain/error/error.js';
import {
  createInspectionMeter,
  INSPECTION_BUDGET,
  type InspectionBudget,
} from '../../git/files/inspection-meter.js';
import type { WorkTreePlace } from '../../git/work-tree-place.js';

/** For this long after an aborted inspection the next ones get a short limit: that many files don't disappear in minutes. */
const GIVEN_UP_MS = 10 * 60_000;
const SHORT: InspectionBudget = { ...INSPECTION_BUDGET, milliseconds: 2000 };

export interface InspectionLimitOptions {
  readonly budget?: InspectionBudget;
  /** A directory that outlives the inspection, is removed with the workspace and is not accessible inside it. */
  readonly markDir?: string;
}

/**
 * Inspects a work tree that an agent writes, with a limit on the cost. When the limit is exceeded, LOOK_TOO_LARGE, and the
 * next inspection gives up earlier. The user's own work trees have no limit.
 */
export async function withInspectionLimit<T>(
  place: WorkTreePlace,
  inspect: (place: WorkTreePlace) => Promise<T>,
  { budget = INSPECTION_BUDGET, markDir = place.gitDir }: InspectionLimitOptions = {},
): Promise<T> {
  if (!place.isForeign) return inspect(place);
  const mark = join(markDir, MARK);
  const isShort = await isYoung(mark);
  try {
    const seen = await inspect({
      ...place,
      meter: createInspectionMeter(place.workTree, isShort ? SHORT : budget),
    });
    if (isShort) await rm(mark, { force: true });
    return seen;
  } catch (error) {
    // A failed write only costs time.
    if (isCarrelError(error, 'LOOK_TOO_LARGE') && !isShort) await writeFile(mark, '').catch(() => undefined);
    throw error;
  }
}

const MARK = 'carrel-look-given-up';

async function isYoung(mark: string): Promise<boolean> {
  const info = await stat(mark).catch(() => undefined);
  return info !== undefined && Math.abs(Date.now() - info.mtimeMs) < GIVEN_UP_MS;
}
