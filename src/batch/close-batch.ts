import type { BatchWork } from './batch-work.js';
import type { OpenRun } from './run-store.js';

/** The results stand, whatever could not be cleared away: that is told, and the next batch settles it. */
export async function closeBatch({ context, provider }: BatchWork, run: OpenRun): Promise<void> {
  try {
    await provider.destroyAll();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    context.narrate(`warning: not everything that the batch made could be removed yet: ${why}`);
  } finally {
    await run.close();
  }
}
