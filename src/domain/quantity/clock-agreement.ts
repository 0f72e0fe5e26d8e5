import { carrelError } from '../error/error.js';
import { formatDuration } from '../text/format-quantity.js';

/** Processes read the clock a moment before they write the event. */
const TOLERANCE_MS = 10 * 60_000;

/** A longer gap between events is unusual; after it the user has to confirm the clock. */
const LONGEST_QUIET_MS = 30 * 86_400_000;

/**
 * CLOCK_DISAGREES when the clock and the newest event do not match: one of them comes from a wrong clock, so nothing may
 * be removed because of its age.
 */
export function requireAgreement(now: number, latest: string): void {
  const aheadMs = now - Date.parse(latest);
  if (aheadMs >= -TOLERANCE_MS && aheadMs <= LONGEST_QUIET_MS) return;
  const differs = aheadMs < 0 ? `${formatDuration(-aheadMs)} later` : `${formatDuration(aheadMs)} earlier`;
  throw carrelError('CLOCK_DISAGREES', { now: new Date(now).toISOString(), latest, differs });
}
