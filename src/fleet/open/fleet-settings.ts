import { z } from 'zod';
import { carrelError } from '../../domain/error/error.js';
import type { Engine } from '../engine/engine.js';

/** What all machines of a fleet need to know. */
const FleetSettingsSchema = z.object({
  artifacts: z.string().describe('where the files of jobs and results are: a directory or a URL'),
});

/** Where the artifacts of the fleet are. FLEET_ARTIFACTS_UNKNOWN. */
export async function loadArtifacts(engine: Pick<Engine, 'settings'>, fleet: string): Promise<string> {
  const text = await engine.settings();
  if (text === null) throw carrelError('FLEET_ARTIFACTS_UNKNOWN', { fleet });
  return FleetSettingsSchema.parse(JSON.parse(text)).artifacts;
}

export const saveArtifacts = (engine: Pick<Engine, 'configure'>, artifacts: string): Promise<void> =>
  engine.configure(JSON.stringify({ artifacts }));
