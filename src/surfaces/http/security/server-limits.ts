/** The limits for one client. Times in milliseconds, sizes in bytes. */
export interface ServerLimits {
  readonly bodyBytes: number;
  /** From the first byte of a request until its headers are complete. */
  readonly headersMs: number;
  /** From the first byte of a request until its body is complete. */
  readonly requestMs: number;
  readonly keepAliveMs: number;
  /** How long an answer waits for a client that reads nothing. */
  readonly stalledMs: number;
  readonly connections: number;
  readonly streams: number;
  readonly requestsPerSecond: number;
  readonly requestBurst: number;
  readonly failedLoginsPerMinute: number;
  /** How long a stopping server waits for running requests. */
  readonly stopMs: number;
}

export const DEFAULT_LIMITS: ServerLimits = {
  bodyBytes: 1024 ** 2,
  headersMs: 10_000,
  requestMs: 30_000,
  keepAliveMs: 15_000,
  // Streams send a comment every 15 seconds: two of them were not read.
  stalledMs: 40_000,
  connections: 2_048,
  streams: 512,
  requestsPerSecond: 200,
  requestBurst: 600,
  failedLoginsPerMinute: 20,
  stopMs: 10_000,
};
