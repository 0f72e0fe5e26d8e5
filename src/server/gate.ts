import type { ServerLimits } from './limits.js';
import { createMetrics, type Metrics } from './metrics.js';
import { createOccupancy, type Occupancy } from './occupancy.js';
import { createLoginCodes, type LoginCodes } from './security/login-codes.js';
import { createRateLimit, type RateLimit } from './security/rate-limit.js';
import { createSessions, type Sessions } from './security/sessions.js';
import { createTokenCheck } from './security/token.js';

/** What stands between the socket and the routes. One for each server. */
export interface Gate {
  readonly limits: ServerLimits;
  readonly metrics: Metrics;
  readonly isToken: (given: string) => boolean;
  readonly sessions: Sessions;
  readonly loginCodes: LoginCodes;
  readonly requests: RateLimit;
  readonly failedLogins: RateLimit;
  /** Routes that are at work, also for a client that has gone. */
  readonly handlers: Occupancy;
  /** Answers that are on their way. */
  readonly answers: Occupancy;
  /** Of these those that have no end of their own. */
  readonly streams: Occupancy;
  /** An address for a browser with a new code. */
  readonly createLoginLink: () => string;
}

export function createGate(options: {
  readonly token: string;
  readonly url: string;
  readonly port: number;
  readonly limits: ServerLimits;
  readonly now: () => number;
}): Gate {
  const { token, url, port, limits, now } = options;
  const loginCodes = createLoginCodes(now);
  const failures = limits.failedLoginsPerMinute;
  return {
    limits,
    metrics: createMetrics(),
    isToken: createTokenCheck(token),
    sessions: createSessions({ token, port, now }),
    loginCodes,
    requests: createRateLimit({ perSecond: limits.requestsPerSecond, burst: limits.requestBurst, now }),
    failedLogins: createRateLimit({ perSecond: failures / 60, burst: failures, now }),
    handlers: createOccupancy(),
    answers: createOccupancy(),
    streams: createOccupancy(limits.streams),
    createLoginLink: () => `${url}/login?code=${loginCodes.create()}`,
  };
}
