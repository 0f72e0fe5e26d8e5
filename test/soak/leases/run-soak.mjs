import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { seededRandom } from '../../../bench/repository/seeded-random.mjs';
import { drainPool, openApp, openWorkspacePool, poolStatus } from '../../../dist/advanced.js';
import { listGitDirectory, listProcesses } from './cleanliness.mjs';
import { compareFingerprints, takeFingerprint } from './fingerprint.mjs';
import { git } from './git.mjs';
import { createJournal } from './journal.mjs';
import { startOwners } from './owners.mjs';
import { makeSite } from './site.mjs';
import { judge } from './verdict.mjs';

const OWNERS = 4;
/** Without a hand-out for this long, everybody waits for everybody. */
const STALL_MS = 90_000;
/** For capturing what the last leases left. */
const SETTLE_MS = 300_000;

/** Uses one pool from several processes, kills some of them, and checks the result. */
export async function runSoak({ leases, minutes, slots, kills, seed, overlay, say }) {
  const site = await makeSite({ slots, seed, overlay });
  const journal = createJournal(site.journalFile);
  const bare = await withPool(site, lookAtBareSlot);
  const before = await takeFingerprint(site);
  await useAndKill({ site, journal, bare, leases, minutes, slots, kills, seed, say });
  say('settling and draining');
  const left = await withPool(site, drain).catch(error => [`it does not drain: ${error}`]);
  const held = await listHeld(site);
  const leftovers = [...left, ...(await findLeftovers(site, before))];
  const verdict = judge(journal.read(), { held, leftovers });
  endProcesses(site);
  if (verdict.hasPassed) site.remove();
  return { ...verdict, home: verdict.hasPassed ? null : site.home };
}

/** What processes in the background have yet to delete is no leftover: it is waited for. */
async function findLeftovers(site, before) {
  const deadline = Date.now() + SETTLE_MS;
  for (;;) {
    const found = compareFingerprints(before, await takeFingerprint(site));
    if (found.length === 0 || Date.now() > deadline) return found;
    await delay(200);
  }
}

async function withPool(site, use) {
  const app = await openApp({ environment: site.environment, cwd: site.repository });
  const pool = await openWorkspacePool(app, { repository: site.repository });
  try {
    return await use(pool, app, site);
  } finally {
    await pool.close();
    await app.close();
  }
}

/** Before anybody has used anything. */
async function lookAtBareSlot(pool, app, site) {
  const lease = await pool.acquire({ commit: site.commits[0], holder: 'soak' });
  const bare = [...listGitDirectory(lease.gitDir)];
  await pool.release(lease.id);
  await drainPool(app, { repository: site.repository });
  return bare;
}

async function useAndKill({ site, journal, bare, leases, minutes, slots, kills, seed, say }) {
  const random = seededRandom(seed);
  // None at the very end, when everybody is about to stop.
  const killAt = Array.from({ length: kills }, () => Math.ceil(random() * leases * 0.9)).sort(
    (a, b) => a - b,
  );
  const deadline = Date.now() + minutes * 60_000;
  let handedOut = 0;
  let lastAt = Date.now();
  // More lanes than slots, so that some always wait.
  const lanes = Math.ceil((slots * 1.25) / OWNERS);
  const onHandOut = () => {
    handedOut++;
    lastAt = Date.now();
    if (handedOut % 100 === 0) say(`${handedOut} leases`);
  };
  const owners = startOwners({ site, count: OWNERS, lanes, seed, bare, journal, onHandOut });
  const isOver = () => handedOut >= leases && killAt.length === 0;
  while (!isOver() && Date.now() < deadline && Date.now() - lastAt < STALL_MS) {
    if (handedOut >= killAt[0]) {
      killAt.shift();
      await delay(random() * 40);
      owners.kill(random);
    }
    await delay(5);
  }
  if (Date.now() - lastAt >= STALL_MS)
    journal.write({ event: 'failure', what: 'no process gets a slot any more' });
  const isAtEnd = await Promise.race([owners.stop(), delay(STALL_MS, 'late', { ref: false })]);
  if (isAtEnd === 'late') journal.write({ event: 'failure', what: 'an owner does not end' });
}

/** What is left in the pool after everything was settled and drained, in words. */
async function drain(_pool, app, { repository }) {
  const deadline = Date.now() + SETTLE_MS;
  for (;;) {
    await drainPool(app, { repository });
    const { slots, damaged, remains } = await poolStatus(app, { repository });
    const left = [
      ...slots.map(({ id, status }) => `slot ${id} is ${status}`),
      ...damaged.map(id => `slot ${id} has a damaged record`),
      ...remains.map(({ id, holds }) => `remains ${id} hold ${holds}`),
      ...(await app.store.journal.list()).map(({ kind, step }) => `journal: ${kind} at ${step}`),
    ];
    if (left.length === 0 || Date.now() > deadline) {
      // What was in the last slots is seen to by now, and what it was read through can go as well.
      await drainPool(app, { repository });
      return left;
    }
    await delay(200);
  }
}

/** The ids of everything that a snapshot leads to, in the repository and in the kept store. */
async function listHeld({ repository, stateDir }) {
  const kept = join(stateDir, 'kept', 'sha1.git');
  const listed = [
    await git(repository, 'rev-list', '--objects', '--glob=refs/carrel/snapshots/*'),
    existsSync(kept) ? await git(kept, 'rev-list', '--objects', '--all') : '',
  ];
  return new Set(listed.flatMap(text => text.split('\n')).map(line => line.slice(0, 40)));
}

/** Processes of the leases that are still running; each was counted as a leftover. */
function endProcesses({ home }) {
  for (const pid of listProcesses(home)) process.kill(Number(pid), 'SIGKILL');
}
