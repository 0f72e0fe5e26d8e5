import { setTimeout as delay } from 'node:timers/promises';
import type { Engine } from '../engine/engine.js';
import type { ProviderLimits } from '../travel/fence-agent.js';

/** When the host does not say how long to wait. */
const USUAL_MS = 30_000;
const LONGEST_MS = 5 * 60_000;
/** Between two looks: another agent may have been refused in the meantime. */
const LOOK_MS = 1000;

/** Rate limits that one worker meets and all respect, through the database of the fleet. */
export function createSharedLimits(
  engine: Pick<Engine, 'limits' | 'slowDown'>,
  onTrouble: (error: unknown) => void,
): ProviderLimits {
  // While the database is away nothing is known, and the heartbeat decides about the agents.
  const remainingMs = async (provider: string): Promise<number> => {
    const limits = await engine.limits().catch(error => {
      onTrouble(error);
      return [];
    });
    return limits.find(each => each.provider === provider)?.remainingMs ?? 0;
  };
  return {
    whenFree: async (provider, signal) => {
      for (;;) {
        const left = signal.aborted ? 0 : await remainingMs(provider);
        if (left <= 0) return;
        await delay(Math.min(left, LOOK_MS), undefined, { signal }).catch(() => undefined);
      }
    },
    refused: (provider, forMs = USUAL_MS) =>
      engine.slowDown(provider, Math.min(Math.max(forMs, LOOK_MS), LONGEST_MS)).catch(onTrouble),
  };
}
