import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from './context.js';

/** What dead processes left of sandboxes; nothing is loaded where there never was one. */
export async function sweepSandboxes(context: Context): Promise<void> {
  if (!existsSync(join(context.places.stateDir, 'sandboxes'))) return;
  const sandboxes = await context.sandboxes();
  const warnings = await sandboxes.sweep(id => context.store.workspaces.find(id));
  for (const warning of warnings) context.narrate(`warning: ${warning}`);
}
