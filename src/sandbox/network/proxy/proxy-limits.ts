/** Limits of one sandbox on the process that serves its proxy. */
export interface ProxyLimits {
  readonly connections: number;
  readonly headerBytes: number;
  /** Milliseconds for the header of a request to arrive. */
  readonly headerMs: number;
  /** Milliseconds for a name lookup, and the same again for connecting. */
  readonly connectMs: number;
  /** Milliseconds without a byte in either direction. Models think for minutes. */
  readonly idleMs: number;
}

export const USUAL_LIMITS: ProxyLimits = {
  connections: 256,
  headerBytes: 16 * 1024,
  headerMs: 10_000,
  connectMs: 15_000,
  idleMs: 15 * 60_000,
};
