import type { BatchWork } from '../attempt/batch-work.js';
import type { OpenRun } from '../record/run-store.js';

/** The results stay valid even if cleanup fails: that is reported, and the next batch cleans up. */
export async function closeBatch({ context, provider }: BatchWork, run: OpenRun): Promise<void> {
  try {
    await provider.destroyAll();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    context.narrate(`warning: cannot remove all files of the batch yet: ${why}`);
  } finally {
    await run.close();
  }
}
