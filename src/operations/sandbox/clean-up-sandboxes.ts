import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from '../context.js';

/** Cleans up sandboxes after dead processes; loads nothing where there never was one. */
export async function cleanUpSandboxesIfAny(
  context: Pick<Context, 'store' | 'sandboxes' | 'places' | 'narrate'>,
): Promise<void> {
  if (!existsSync(join(context.places.stateDir, 'sandboxes'))) return;
  const sandboxes = await context.sandboxes();
  const warnings = await sandboxes.cleanUp(id => context.store.workspaces.find(id));
  for (const warning of warnings) context.narrate(`warning: ${warning}`);
}
