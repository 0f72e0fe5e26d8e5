import type { FleetStatus } from '../../../../src/fleet/open/fleet-status.js';

export type { FleetStatus };
export type Host = FleetStatus['hosts'][number];
export type Run = FleetStatus['runs'][number];
