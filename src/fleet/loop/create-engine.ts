import { carrelError } from '../../domain/error/error.js';
import type { Engine, EngineTiming } from '../engine/engine.js';
import { drainHost } from '../ledger/beat-host.js';
import { readSettings, writeSettings } from '../ledger/fleet-settings.js';
import type { LedgerSession } from '../ledger/ledger-session.js';
import { listLimits, slowProvider } from '../ledger/provider-limits.js';
import { listHosts } from '../ledger/reading/read-hosts.js';
import { listBodies, listResults, listRuns, readProgress } from '../ledger/reading/read-runs.js';
import { recordResult } from '../ledger/record-result.js';
import { reserveMoney } from '../ledger/reserve-money.js';
import { acknowledgeResults, cancelRun, submitJobs } from '../ledger/submit-jobs.js';
import { createNewsHub } from './news.js';
import { createReaper } from './reap.js';
import { watchRun } from './watch-run.js';
import { workLoop } from './work-loop.js';

/** An engine on a ledger, which it closes. */
export function createEngine(ledger: LedgerSession, timing: EngineTiming): Engine {
  const news = createNewsHub(ledger);
  const closing = new AbortController();
  const shifts = new Set<Promise<void>>();
  const reap = createReaper(ledger, timing);
  let closed: Promise<void> | undefined;
  return {
    submit: (terms, jobs) => submitJobs(ledger, terms, jobs),
    work: (host, handle) => {
      const parts = { ledger, timing, onNews: news.subscribe, closed: closing.signal };
      const shift = workLoop(parts, host, handle).finally(() => shifts.delete(shift));
      shifts.add(shift);
      return shift;
    },
    record: (claim, result) => recordResult(ledger, claim, result),
    reserve: (claim, capUsd) => reserveMoney(ledger, claim, capUsd),
    cancel: (run, { claimed } = { claimed: 'stop' }) => cancelRun(ledger, run, claimed),
    results: (run, after = 0) => listResults(ledger, run, after),
    watch: (run, options) => watchRun({ ledger, timing, news, closed: closing.signal }, run, options),
    acknowledge: (run, sequence) => acknowledgeResults(ledger, run, sequence),
    bodies: (run, after = 0) => listBodies(ledger, run, after),
    runs: () => listRuns(ledger),
    progress: run => readProgress(ledger, run),
    hosts: () => listHosts(ledger, timing.lifeMs),
    drain: async host => {
      if (!(await drainHost(ledger, host)))
        throw carrelError('FLEET_HOST_NOT_FOUND', { host, location: ledger.location });
    },
    reap,
    slowDown: (provider, forMs) => slowProvider(ledger, provider, forMs),
    limits: () => listLimits(ledger),
    settings: () => readSettings(ledger),
    configure: settings => writeSettings(ledger, settings),
    close: () => {
      closed ??= (async () => {
        closing.abort();
        await Promise.allSettled(shifts);
        await news.close();
        await ledger.close();
      })();
      return closed;
    },
  };
}
