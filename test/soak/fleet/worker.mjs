import { appendFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { openPostgresEngine } from 'carrel/advanced';

// A host of the soak: jobs that wait for as long as they say, and a journal of what was begun and finished.

/** Wall-clock milliseconds with fractions, comparable with other processes of this machine. */
const now = () => performance.timeOrigin + performance.now();

const { url, id, slots, spoolDir, journal, timing } = JSON.parse(process.argv[2]);
const engine = await openPostgresEngine({ url, timing });
const drain = new AbortController();
process.once('SIGTERM', () => drain.abort());

const note = (event, { job: { key }, number }) => {
  if (journal)
    appendFileSync(journal, `${JSON.stringify({ event, ...key, claim: number, host: id, at: now() })}\n`);
};

async function handle({ claim, signal }) {
  const begun = now();
  const { ms = 0, isDeaf = false } = JSON.parse(claim.job.body);
  note('begun', claim);
  // A deaf one finishes although its signal was aborted, as an agent does whose host was stopped in the middle.
  if (ms > 0) await delay(ms, undefined, isDeaf ? {} : { signal }).catch(() => undefined);
  if (signal.aborted && !isDeaf) {
    note('stopped', claim);
    return { kind: 'left', reason: String(signal.reason) };
  }
  note('finished', claim);
  return { kind: 'done', record: JSON.stringify({ host: id, claim: claim.number, begun }), costUsd: 0 };
}

const host = { id, name: id, labels: [], slots, versions: {}, spoolDir, drain: drain.signal };
process.stdout.write('ready\n');
await engine.work(host, handle);
await engine.close();
