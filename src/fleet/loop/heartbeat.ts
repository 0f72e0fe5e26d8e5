import type { EngineTiming } from '../engine/engine.js';
import type { WorkHost } from '../engine/host.js';
import { type BeatAnswer, beatHost, writeReport } from '../ledger/beat-host.js';
import type { LedgerSession } from '../ledger/ledger-session.js';
import { coverCost } from '../ledger/reserve-money.js';
import type { RunningClaim, RunningClaims } from './running-claims.js';

export interface Heartbeat {
  /** Beats now, in addition to the usual ones. Rejects when the database did not answer. */
  beat(): Promise<void>;
  /** No beat has succeeded for `silenceMs`: handlers are stopped. */
  isSilent(): boolean;
  /** The last beat has ended when this resolves; `beat` does nothing from then on. */
  stop(): Promise<void>;
}

export interface HeartbeatOptions {
  readonly ledger: LedgerSession;
  readonly timing: EngineTiming;
  readonly host: WorkHost;
  readonly session: string;
  readonly running: RunningClaims;
  /** After every beat that succeeded. */
  onBeat(answer: BeatAnswer): void;
}

/**
 * Shows that this host lives, every `beatMs`, and aborts the handlers of claims that it no longer has. When no beat has
 * succeeded for `silenceMs`, it aborts all of them: another host may have their jobs soon.
 */
export function startHeartbeat(options: HeartbeatOptions): Heartbeat {
  const { timing, host, running } = options;
  // The monotonic clock: the time of day can be set back.
  let lastBeat = performance.now();
  let current: Promise<void> | undefined;
  let isStopped = false;
  const beat = async (): Promise<void> => {
    if (isStopped) return;
    current ??= beatOnce(options)
      .then(start => {
        lastBeat = start;
      })
      .finally(() => {
        current = undefined;
      });
    await current;
  };
  const beater = setInterval(() => {
    beat().catch(error => host.onTrouble?.(error));
  }, timing.beatMs);
  const isSilent = (): boolean => performance.now() - lastBeat > timing.silenceMs;
  const watchdog = setInterval(() => {
    if (isSilent()) running.endAll('silent');
  }, timing.beatMs / 4);
  return {
    beat,
    isSilent,
    stop: async () => {
      isStopped = true;
      clearInterval(beater);
      clearInterval(watchdog);
      await current?.catch(() => undefined);
    },
  };
}

/** Returns when it was begun: the database's time of the beat is not earlier. */
async function beatOnce(options: HeartbeatOptions): Promise<number> {
  const { ledger, host, session, running } = options;
  const start = performance.now();
  const held = [...running.all.values()];
  const entries = held.map(({ claim }) => claim.id);
  const answer = await beatHost(ledger, { host, session, entries, ...look(host) });
  for (const one of held) endIfOver(running, one, answer);
  options.onBeat(answer);
  for (const one of held) await writeUnwritten(ledger, running, one);
  return start;
}

export function look(host: WorkHost): { diskFreeBytes: number | null; refusing: string | null } {
  const seen = host.look?.();
  return { diskFreeBytes: seen?.diskFreeBytes ?? null, refusing: seen?.refusing ?? null };
}

function endIfOver(running: RunningClaims, one: RunningClaim, { claims }: BeatAnswer): void {
  const kept = claims.get(one.claim.id);
  if (kept?.number !== one.claim.number) running.end(one, 'lost');
  else if (kept.isCancelled) running.end(one, 'cancelled');
}

async function writeUnwritten(
  ledger: LedgerSession,
  running: RunningClaims,
  one: RunningClaim,
): Promise<void> {
  const report = one.unwritten;
  if (!report || one.isFinished) return;
  one.unwritten = undefined;
  await writeReport(ledger, one.claim, JSON.stringify({ ...report, text: report.text.slice(0, 200) }));
  const { costUsd = 0 } = report;
  if (costUsd <= one.coveredUsd) return;
  const answer = await coverCost(ledger, one.claim, costUsd);
  if (answer === 'reserved') one.coveredUsd = costUsd;
  else running.end(one, answer === 'stale' ? 'lost' : 'budget');
}
