import { createMetrics, type Metrics } from '../logging/request-metrics.js';
import { openEndedSessions } from '../sessions/ended-sessions.js';
import { createLoginCodes, type LoginCodes } from '../sessions/login-codes.js';
import { createPageTickets, type PageTickets } from '../sessions/page-tickets.js';
import { createTokenCheck } from '../sessions/server-token-file.js';
import { createSessions, type Sessions } from '../sessions/sessions.js';
import { createOccupancy, type Occupancy } from './occupancy.js';
import { dashboardUrlOf } from './own-url.js';
import { createRateLimit, type RateLimit } from './rate-limit.js';
import type { ServerLimits } from './server-limits.js';

/** The state of the request checks. One per server. */
export interface Gate {
  readonly limits: ServerLimits;
  readonly metrics: Metrics;
  readonly isToken: (given: string) => boolean;
  readonly sessions: Sessions;
  readonly loginCodes: LoginCodes;
  readonly pageTickets: PageTickets;
  readonly requests: RateLimit;
  readonly failedLogins: RateLimit;
  /** Running routes, also for a client that is gone. */
  readonly handlers: Occupancy;
  /** Answers that are being sent. */
  readonly answers: Occupancy;
  /** Those of them that are streams without an end. */
  readonly streams: Occupancy;
  /** A login address for a browser with a new code. */
  readonly createLoginLink: () => string;
}

export function createGate(options: {
  readonly token: string;
  /** The file of ended sessions. */
  readonly endedFile: string;
  readonly url: string;
  readonly port: number;
  readonly limits: ServerLimits;
  readonly now: () => number;
}): Gate {
  const { token, endedFile, url, port, limits, now } = options;
  const loginCodes = createLoginCodes(now);
  const failures = limits.failedLoginsPerMinute;
  return {
    limits,
    metrics: createMetrics(),
    isToken: createTokenCheck(token),
    sessions: createSessions({ token, port, now, ended: openEndedSessions(endedFile, now) }),
    loginCodes,
    requests: createRateLimit({ perSecond: limits.requestsPerSecond, burst: limits.requestBurst, now }),
    failedLogins: createRateLimit({ perSecond: failures / 60, burst: failures, now }),
    handlers: createOccupancy(),
    answers: createOccupancy(),
    streams: createOccupancy(limits.streams),
    pageTickets: createPageTickets(now),
    createLoginLink: () => `${dashboardUrlOf(url)}/login?code=${loginCodes.create()}`,
  };
}
