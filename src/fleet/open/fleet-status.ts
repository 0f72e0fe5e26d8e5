import { existsSync } from 'node:fs';
import type { Engine } from '../engine/engine.js';
import type { HostState } from '../engine/host.js';
import type { RunSummary } from '../engine/run.js';
import { parseFleetAddress } from './fleet-address.js';
import { type FleetContext, fileOf, openFleet } from './open-fleet.js';

export interface FleetStatus {
  /** Without a password; null when no fleet is configured on this machine. */
  readonly fleet: string | null;
  readonly hosts: readonly HostState[];
  readonly runs: readonly (Omit<RunSummary, 'plan'> & { readonly resultsPerMinute: number | null })[];
}

/**
 * The fleet of CARREL_FLEET, or the one that `carrel fleet init local` made. The connection is not kept: while the
 * database is away, the next call fails, and the one after that may not. FLEET_ADDRESS_INVALID, FLEET_NOT_INITIALIZED,
 * FLEET_ENGINE_MISSING, FLEET_UNAVAILABLE, FLEET_VERSION_DIFFERS.
 */
export async function readFleetStatus(context: FleetContext): Promise<FleetStatus> {
  const address = findAddress(context);
  if (address === undefined) return { fleet: null, hosts: [], runs: [] };
  const { name, engine, close } = await openFleet(context, address);
  try {
    const [hosts, runs] = await Promise.all([engine.hosts(), engine.runs()]);
    const described = await Promise.all(runs.map(run => describeRun(engine, run, clockOf(hosts))));
    return { fleet: name, hosts, runs: described };
  } finally {
    await close();
  }
}

const LOCAL = 'local';

function findAddress(context: FleetContext): string | undefined {
  if (context.environment.CARREL_FLEET) return context.environment.CARREL_FLEET;
  const address = parseFleetAddress(context, LOCAL);
  return address.kind === 'directory' && existsSync(fileOf(address.directory)) ? LOCAL : undefined;
}

/** The clock of the database, where results get their times. */
const clockOf = (hosts: readonly HostState[]): number | null =>
  hosts[0] === undefined ? null : hosts[0].beatAt + hosts[0].silentForMs;

/** What a submitter needs to continue a run elsewhere is not for others. */
async function describeRun(
  engine: Engine,
  { plan: _, ...run }: RunSummary,
  now: number | null,
): Promise<FleetStatus['runs'][number]> {
  const isMeasured = run.state === 'running' && now !== null;
  return { ...run, resultsPerMinute: isMeasured ? await measure(engine, run, now) : null };
}

const MEASURED_RESULTS = 20;
const MINUTE_MS = 60_000;

async function measure(
  engine: Engine,
  { run, results }: Pick<RunSummary, 'run' | 'results'>,
  now: number,
): Promise<number | null> {
  const latest = await engine.results(run, Math.max(0, results - MEASURED_RESULTS));
  const tookMs = now - (latest[0]?.recordedAt ?? now);
  return tookMs > 0 ? (latest.length * MINUTE_MS) / tookMs : null;
}
