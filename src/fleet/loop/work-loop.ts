import { randomUUID } from 'node:crypto';
import type { Claimed, EngineTiming, Handled } from '../engine/engine.js';
import type { WorkHost } from '../engine/host.js';
import { arriveHost, leaveHost } from '../ledger/beat-host.js';
import { type Claimant, claimJobs } from '../ledger/claim-jobs.js';
import { endClaim } from '../ledger/end-claim.js';
import type { LedgerSession, News } from '../ledger/ledger-session.js';
import { findOrphans } from '../ledger/reading/find-claims.js';
import { type Bell, createBell } from './bell.js';
import { emptySpool } from './empty-spool.js';
import { type HandlingParts, handleClaim } from './handle-claim.js';
import { type Heartbeat, look, startHeartbeat } from './heartbeat.js';
import { createRunningClaims } from './running-claims.js';
import { openSpool } from './spool.js';

export interface WorkParts {
  readonly ledger: LedgerSession;
  readonly timing: EngineTiming;
  /** Calls back for news until the returned function is called. */
  onNews(callback: (news: News) => void): () => void;
  /** Aborted when the engine is closed. */
  readonly closed: AbortSignal;
}

/** See `Engine.work`. */
export async function workLoop(
  parts: WorkParts,
  host: WorkHost,
  handle: (claimed: Claimed) => Promise<Handled>,
): Promise<void> {
  const shift = startShift(parts, host, handle);
  try {
    await arrive(shift);
    while (!shift.isDraining()) await fillSlots(shift);
    await finish(shift);
  } finally {
    await shift.end();
  }
}

/** One call of `work`. */
interface Shift extends HandlingParts {
  readonly timing: EngineTiming;
  readonly bell: Bell;
  readonly heartbeat: Heartbeat;
  readonly claimant: Claimant;
  /** Handlers, until their results are recorded or spooled. */
  readonly handlers: Set<Promise<void>>;
  /** When it last had a job. */
  busyAt: number;
  drain(): void;
  isDraining(): boolean;
  isStopped(): boolean;
  end(): Promise<void>;
}

function startShift(parts: WorkParts, host: WorkHost, handle: HandlingParts['handle']): Shift {
  const { ledger, timing } = parts;
  const session = randomUUID();
  const bell = createBell();
  const running = createRunningClaims();
  const spool = openSpool(host.spoolDir);
  let isDrained = false;
  let isStopped = false;
  const drain = (): void => {
    isDrained = true;
    bell.ring();
  };
  const stop = (): void => {
    isStopped = true;
    drain();
    running.endAll('stopped');
  };
  const heartbeat = startHeartbeat({
    ...{ ledger, timing, host, session, running },
    onBeat: answer => {
      if (answer.isDraining) drain();
      emptySpool(ledger, spool, running).then(bell.ring, error => host.onTrouble?.(error));
    },
  });
  const forgetNews = parts.onNews(news => {
    if (news === 'jobs') bell.ring();
    // A cancelled run or a drained host is noticed now, not with the next beat.
    else if (news === 'hosts' || concerns(news)) heartbeat.beat().catch(() => undefined);
  });
  const concerns = (news: News) =>
    [...running.all.values()].some(({ claim }) => news === `cancelled ${claim.job.key.run}`);
  const signals = [
    [host.drain, drain],
    [host.stop, stop],
    [parts.closed, stop],
  ] as const;
  for (const [signal, react] of signals) {
    if (signal?.aborted) react();
    signal?.addEventListener('abort', react, { once: true });
  }
  return {
    ...{ ledger, timing, host, session, running, spool, handle, bell, heartbeat, drain },
    claimant: {
      host: host.id,
      session,
      labels: host.labels,
      foreignGroups: new Set(),
      pausedGroups: new Map(),
    },
    handlers: new Set(),
    busyAt: performance.now(),
    isDraining: () => isDrained,
    isStopped: () => isStopped,
    end: async () => {
      forgetNews();
      for (const [signal, react] of signals) signal?.removeEventListener('abort', react);
      await heartbeat.stop();
    },
  };
}

/** Registers the host, records what an earlier process of it has finished, and ends what that process left. */
async function arrive(shift: Shift): Promise<void> {
  const { ledger, host, session, spool, timing, bell } = shift;
  while (!shift.isDraining()) {
    try {
      await arriveHost(ledger, { host, session, entries: [], ...look(host) });
      await emptySpool(ledger, spool);
      for (const claim of await findOrphans(ledger, host.id, session))
        await endClaim(ledger, claim, { kind: 'crashed', text: 'its worker was restarted' });
      return;
    } catch (error) {
      host.onTrouble?.(error);
      await bell.wait(timing.pollMs);
    }
  }
}

/** Claims for every free slot, and waits when there is none, or no job. */
async function fillSlots(shift: Shift): Promise<void> {
  const { ledger, host, claimant, running, bell, timing, heartbeat } = shift;
  const free = host.slots - running.busy;
  const isReady = free > 0 && look(host).refusing === null;
  try {
    // After an outage: the watchdog would stop what a silent host claims.
    if (isReady && heartbeat.isSilent()) await heartbeat.beat();
    const claims = isReady ? await claimJobs(ledger, claimant, free) : [];
    for (const claim of claims) startHandler(shift, claim);
    if (claims.length > 0) return;
  } catch (error) {
    host.onTrouble?.(error);
  }
  if (isIdle(shift)) shift.drain();
  else await bell.wait(Math.min(timing.pollMs, host.untilIdleMs ?? timing.pollMs));
}

function startHandler(shift: Shift, claim: Parameters<Shift['running']['add']>[0]): void {
  const one = shift.running.add(claim);
  if (shift.isStopped()) shift.running.end(one, 'stopped');
  const handler = handleClaim(shift, one).finally(() => {
    shift.handlers.delete(handler);
    shift.busyAt = performance.now();
    shift.bell.ring();
  });
  shift.handlers.add(handler);
}

function isIdle({ host, running, busyAt }: Shift): boolean {
  if (host.untilIdleMs === undefined || running.all.size > 0) return false;
  return performance.now() - busyAt >= host.untilIdleMs;
}

/** Handlers finish or are stopped; what is spooled then waits for the next worker of this host. */
async function finish(shift: Shift): Promise<void> {
  const { ledger, host, session, handlers, spool, running, heartbeat } = shift;
  await Promise.all(handlers);
  try {
    await emptySpool(ledger, spool, running);
    // A beat that ends after the host has left would show it as working again.
    await heartbeat.stop();
    await leaveHost(ledger, host.id, session);
  } catch (error) {
    host.onTrouble?.(error);
  }
}
