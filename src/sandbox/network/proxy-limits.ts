/** What one sandbox may ask of the process that serves its proxy. */
export interface ProxyLimits {
  readonly connections: number;
  readonly headerBytes: number;
  /** Milliseconds for the header of a request to come. */
  readonly headerMs: number;
  /** Milliseconds for a name to be looked up, and as many for a host to be connected to. */
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
