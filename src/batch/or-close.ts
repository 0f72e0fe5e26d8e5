import type { OpenRun } from './run-store.js';

/** For whoever has to do more before a run is somebody's to work on: a run that stays open is busy. */
export async function orClose<T>(run: OpenRun, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    await run.close();
    throw error;
  }
}
