import { seededRandom } from '../../../bench/repository/seeded-random.mjs';
import { openApp, openWorkspacePool } from '../../../dist/advanced.js';
import { findLeaks, listCommit } from './cleanliness.mjs';
import { createJournal } from './journal.mjs';
import { makeMess } from './mess.mjs';

/** Longer than everything else together may take: who waits this long waits for ever. */
const PATIENCE_MS = 120_000;

// One process that uses the pool on several lanes at once until it is stopped or killed.
const { site, seed, lanes, bare } = JSON.parse(process.argv[2]);
const random = seededRandom(seed);
const journal = createJournal(site.journalFile);
const pick = items => items[Math.floor(random() * items.length)];
let isStopping = false;
process.on('message', () => {
  isStopping = true;
});
const giveUp = () => process.exit(1);
process.on('disconnect', giveUp);

const app = await openApp({ environment: site.environment, cwd: site.repository });
const pool = await openWorkspacePool(app, { repository: site.repository });
const expected = new Map();
for (const commit of site.commits) expected.set(commit, await listCommit(site.repository, commit));
await Promise.all(Array.from({ length: lanes }, useLane));
await pool.close();
await app.close();
process.off('disconnect', giveUp);
process.disconnect();

async function useLane() {
  while (!isStopping) {
    try {
      await useSlot();
    } catch (error) {
      report(`${error.code ?? error.name}: ${error.message}`);
      return;
    }
  }
}

async function useSlot() {
  const lease = await pool.acquire({
    commit: pick(site.commits),
    holder: `owner ${process.pid}`,
    timeoutMs: PATIENCE_MS,
  });
  journal.write({ event: 'handed', lease: lease.id, slot: lease.slotId });
  process.send('handed');
  for (const leak of await findLeaks(lease, expected.get(lease.commit), new Map(bare)))
    journal.write({ event: 'leak', lease: lease.id, slot: lease.slotId, what: leak });
  const work = await messUp(lease);
  if (random() < 0.02) leave(lease);
  await giveBack(lease, work);
}

async function messUp(lease) {
  const kept = [];
  const tag = lease.id.replace('lease_', '');
  const keep = (id, what) => {
    kept.push(id);
    journal.write({ event: 'work', lease: lease.id, id, what });
  };
  const kinds = await makeMess(lease, { tag, random, keep });
  journal.write({ event: 'messed', lease: lease.id, kinds });
  return kept;
}

/** Ends without a word, as a program does that forgets to give back what it has. */
function leave(lease) {
  journal.write({ event: 'leaving', lease: lease.id });
  process.exit(0);
}

async function giveBack(lease, work) {
  const choice = random() < 0.25 ? 'discard' : 'keep';
  journal.write({ event: 'releasing', lease: lease.id, slot: lease.slotId, work: choice });
  const { status, reason, snapshotId } = await pool.release(lease.id, { work: choice });
  journal.write({ event: 'released', lease: lease.id, status, reason, snapshotId });
  if (choice === 'keep' && work.length > 0 && snapshotId === null)
    report(`the release of ${lease.id} found nothing, but there was work`);
  if (random() < 0.1) await giveBackAgain(lease);
}

async function giveBackAgain(lease) {
  const outcome = await pool.release(lease.id).then(
    () => 'it was accepted',
    error => error.code,
  );
  if (outcome !== 'STALE_LEASE') report(`a second release of ${lease.id}: ${outcome}`);
}

function report(what) {
  journal.write({ event: 'failure', what });
}
