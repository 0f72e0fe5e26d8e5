import type { OpenRun } from './run-store.js';

/** Closes a run when a later setup step fails: a run that stays open is busy. */
export async function orClose<T>(run: OpenRun, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    await run.close();
    throw error;
  }
}
