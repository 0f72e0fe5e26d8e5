import { readFleetStatus } from '../../../fleet/open/fleet-status.js';
import { remember } from '../responses/remember.js';
import type { Answer } from '../routes/own-answers.js';
import type { ServerContext } from '../server-context.js';

/** Open pages request it every few seconds, and each answer opens a connection to the fleet. */
const FRESH_MS = 2000;

export const answerFleetStatus = ({ app }: ServerContext): Answer => {
  const status = remember(app.now, FRESH_MS, () => readFleetStatus(app));
  return async (_, c) => c.json(await status(), 200);
};
