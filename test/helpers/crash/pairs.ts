import { expect, onTestFinished } from 'vitest';
import { type App, openApp } from '../../../src/app.js';
import { isCarrelError } from '../../../src/domain/error/error.js';
import { operationSteps } from '../../../src/domain/journal.js';
import type { Remains } from '../../../src/domain/snapshot/remains.js';
import type { Snapshot } from '../../../src/domain/snapshot/snapshot.js';
import { collectGarbage } from '../../../src/operations/cleanup/gc.js';
import { execInWorkspace } from '../../../src/operations/command/exec.js';
import type { UpInput } from '../../../src/operations/creation/plan-up.js';
import { recover } from '../../../src/operations/recovery/recover.js';
import { removeOrSchedule } from '../../../src/operations/remains/schedule-remains.js';
import { moveRecordAside, removeWorkspace } from '../../../src/operations/removal/down.js';
import { resetWorkspace } from '../../../src/operations/reset/reset.js';
import { restoreSnapshot } from '../../../src/operations/snapshot/restore.js';
import { listSnapshots, snapshotWorkspace } from '../../../src/operations/snapshot/snapshot.js';
import { diffWorkspace } from '../../../src/operations/workspace/diff.js';
import { landWorkspace } from '../../../src/operations/workspace/land.js';
import { listWorkspaces } from '../../../src/operations/workspace/list.js';
import { showWorkspace } from '../../../src/operations/workspace/show.js';
import { up } from '../../../src/operations/workspace/up.js';
import type { Carrel } from '../carrel.js';
import { fingerprint, hashTree } from '../fingerprint.js';
import { findLeftovers } from '../leftovers.js';
import { commitFiles, git, makeRepository, writeFiles } from '../repository.js';
import { createTidyCarrel } from '../workspace/test-workspace.js';
import { isHeld } from './crash-site.js';
import {
  CREATION_STEPS,
  makeGate,
  type StoppedApp,
  stopAt,
  stopCaptureOf,
  stopCreationAt,
} from './stop-at.js';

/** Where `first` waits while `second` runs to its end, or waits for it. */
export interface Pair {
  readonly first: FirstOperation;
  readonly step: string;
  readonly second: SecondOperation;
  /** Where `second` waits, too, while `first` goes on to its end. */
  readonly secondStep?: string | undefined;
}

export type FirstOperation =
  | 'up'
  | 'restore'
  | 'snapshot'
  | 'down'
  | 'reset'
  | 'land'
  | 'gc'
  | 'settle'
  | 'exec';
export type SecondOperation = FirstOperation | 'ls' | 'show' | 'diff';

const SECOND: readonly SecondOperation[] = [
  'up',
  'restore',
  'snapshot',
  'down',
  'reset',
  'land',
  'exec',
  'gc',
  'settle',
  'ls',
  'show',
  'diff',
];

/** The steps at which each can be stopped; settling has no journal, and stops where it writes its record. */
const STEPS: Readonly<Record<FirstOperation, readonly string[]>> = {
  up: CREATION_STEPS,
  restore: CREATION_STEPS,
  snapshot: [...operationSteps.snapshot, 'capturing'],
  down: operationSteps.down,
  // The journal has no entry for its last step.
  reset: operationSteps.reset.filter(step => step !== 'done'),
  land: operationSteps.land,
  gc: operationSteps.down,
  settle: ['remove'],
  exec: ['running'],
};

export const listPairs = (...firsts: readonly FirstOperation[]): Pair[] =>
  firsts.flatMap(first =>
    STEPS[first].flatMap(step => SECOND.map(second => ({ first, step, second }) satisfies Pair)),
  );

/** Both are stopped, at each of their steps: the first begins first and ends first. */
export const listCrossings = (first: FirstOperation, second: FirstOperation): Pair[] =>
  STEPS[first].flatMap(step => STEPS[second].map(secondStep => ({ first, step, second, secondStep })));

/** One in three, or all with CARREL_EVERY_PAIR=1: they take eight minutes of two cores. */
export const choosePairs = (pairs: readonly Pair[]): readonly Pair[] =>
  process.env.CARREL_EVERY_PAIR ? pairs : pairs.filter((_, at) => at % 3 === 0);

/** For the names of tests. */
export const describePair = ({ first, step, second, secondStep }: Pair): string =>
  `${first}, stopped at ${step}, beside ${second}${secondStep === undefined ? '' : `, stopped at ${secondStep}`}`;

export interface PairOptions {
  /** How the workspace is made. */
  readonly form?: Pick<UpInput, 'form' | 'isolation'> | undefined;
  readonly makeSite?: (() => { readonly repository: string; readonly carrel: Carrel }) | undefined;
  /** Whether it is a worktree of git, with its own commits; true by default. */
  readonly isWorktree?: boolean | undefined;
}

/**
 * Runs a pair on one workspace and expects that nothing is lost, whatever the order: each operation succeeds or fails
 * with an error of the catalogue, all bytes are in the workspace or in a snapshot, and nothing is left over.
 */
export async function runPair(pair: Pair, options: PairOptions = {}): Promise<PairOutcome> {
  const site = await makePairSite(pair, options);
  const stopped = stopFirst(site.app, pair.first, pair.step);
  const firstWaits = makeGate();
  let isOnItsWay = false;
  const firstApp = watchWaiting(stopped.app, () => isOnItsWay && firstWaits.resolve());
  const first = settled(() => carryOut(firstApp, site, pair.first));
  const early = await Promise.race([stopped.reached.then(() => undefined), first]);
  expect(early, `${pair.first} came to its end before "${pair.step}"`).toBeUndefined();
  const secondWaits = makeGate();
  const crossing = stopSecond(site.app, pair);
  const second = settled(async () => {
    const app = watchWaiting(crossing.app, secondWaits.resolve);
    // Every command begins with it.
    await recover(app);
    return carryOut(app, site, pair.second);
  });
  await Promise.race([second, secondWaits.promise, crossing.reached]);
  isOnItsWay = true;
  stopped.letGo();
  await Promise.race([first, firstWaits.promise]);
  crossing.letGo();
  const outcome = { first: await first, second: await second };
  await check(site, pair, outcome);
  return outcome;
}

/** What an operation gave, or its error. */
type Ended = { readonly value: unknown } | { readonly error: unknown };

export interface PairOutcome {
  readonly first: Ended;
  readonly second: Ended;
}

const settled = (action: () => Promise<unknown>): Promise<Ended> =>
  action().then(
    value => ({ value }),
    error => ({ error }),
  );

interface PairSite {
  readonly app: App;
  readonly carrel: Carrel;
  readonly repository: string;
  readonly temporary: string;
  /** The user's checkout before the pair. */
  readonly before: ReturnType<typeof fingerprint>;
  readonly filesBefore: string;
  /** All that was in the workspace. */
  readonly hash: string;
  readonly commit: string;
  readonly form: Partial<UpInput>;
  readonly isWorktree: boolean;
  readonly remains: readonly Remains[];
}

async function makePairSite({ first, second }: Pair, options: PairOptions): Promise<PairSite> {
  const made = options.makeSite?.();
  const carrel = made?.carrel ?? createTidyCarrel();
  const repository = made?.repository ?? makeRepository(FILES);
  const app = await openApp({ environment: carrel.env, cwd: repository });
  onTestFinished(() => app.close());
  const form = { isolation: 'worktree', ...options.form } as const;
  const { path } = await up(app, { repository, name: 'a', ...form });
  const { isWorktree = true } = options;
  const commit = isWorktree ? commitFiles(path, { 'work.txt': 'work\n' }, 'work') : '';
  // What has nothing to lose is all that gc removes.
  const isClean = first === 'gc' || second === 'gc';
  if (isClean && commit !== '') git(repository, 'branch', 'holds', commit);
  if (!isClean)
    writeFiles(path, { 'source/one.txt': 'changed\n', 'new/deep.bin': BYTES, 'work.log': 'log\n' });
  const hash = hashWork(path);
  const remains = await bringTo(app, { repository, name: await findName(app) }, first);
  const before = fingerprint(repository);
  const filesBefore = hashWork(repository);
  const temporary = carrel.env.TMPDIR as string;
  return { app, carrel, repository, temporary, before, filesBefore, hash, commit, form, isWorktree, remains };
}

const FILES = { 'README.md': 'hello\n', 'source/one.txt': 'one\n', '.gitignore': '*.log\n' };
const BYTES = Buffer.from([0, 255, 10, 13, 0]);
const ALL = { discardChanges: true, discardCommits: true };

/** The workspace is there, or only a snapshot of it, as the first operation needs it. */
async function bringTo(
  app: App,
  query: { readonly repository: string; readonly name: string },
  first: FirstOperation,
): Promise<readonly Remains[]> {
  if (first === 'up' || first === 'restore') await removeWorkspace(app, { ...query, accepted: ALL });
  if (first !== 'settle') return [];
  const { id } = await showWorkspace(app, query);
  const record = await app.store.workspaces.find(id);
  if (!record) throw new Error('the workspace is not recorded');
  return (await moveRecordAside(app, record, { accepted: ALL, reason: 'down' })).remains;
}

/** By its id it is found from anywhere, also when it is a copy of a directory elsewhere. */
const findName = async (app: App): Promise<string> =>
  (await app.store.workspaces.list()).find(({ name }) => name === 'a')?.id ?? 'a';

/** All files but what links them to their repository. */
const hashWork = (path: string): string => hashTree(path, new Set(['.git', '.jj']));

async function carryOut(app: App, site: PairSite, operation: SecondOperation): Promise<unknown> {
  const { repository } = site;
  const query = { repository, name: await findName(app) };
  switch (operation) {
    case 'up':
      return up(app, { repository, name: 'a', ...site.form });
    case 'restore':
      return restoreNewest(app, site);
    case 'snapshot':
      return snapshotWorkspace(app, query);
    case 'down':
      return removeWorkspace(app, { ...query, accepted: ALL });
    case 'reset':
      return resetWorkspace(app, { ...query, accepted: ALL });
    case 'land':
      return landWorkspace(app, { ...query, message: 'landed' });
    case 'exec':
      return execInWorkspace(app, { ...query, command: ['true'], output: 'capture' });
    case 'gc':
      return collectGarbage(app, { repository, olderThanMs: 0, execute: true });
    case 'settle':
      return site.remains.length > 0 ? removeOrSchedule(app, site.remains) : recover(app);
    case 'ls':
      return listWorkspaces(app, { repository, all: true });
    case 'show':
      return showWorkspace(app, query);
    case 'diff':
      return diffWorkspace(app, { ...query, format: 'patch' }, async () => {});
  }
}

async function restoreNewest(app: App, { repository }: PairSite): Promise<unknown> {
  const [newest] = await listSnapshots(app, { repository, all: true });
  return restoreSnapshot(app, { repository, snapshot: newest?.id ?? 'a' });
}

function stopFirst(app: App, operation: FirstOperation, step: string): StoppedApp {
  if (operation === 'settle') return stopAtStore(app, 'remains', 'remove');
  if (operation === 'exec') return stopAtStore(app, 'commands', 'remove');
  if (operation === 'up' || operation === 'restore') return stopCreationAt(app, step);
  if (step === 'capturing') return stopCaptureOf(app);
  return stopAt(app, operation === 'gc' ? 'down' : operation, step);
}

function stopSecond(app: App, { second, secondStep }: Pair): StoppedApp {
  if (secondStep !== undefined) return stopFirst(app, second as FirstOperation, secondStep);
  return { app, reached: new Promise(() => {}), letGo: () => {} };
}

/** Before the record of what was done is removed. */
function stopAtStore(app: App, table: 'remains' | 'commands', method: 'remove'): StoppedApp {
  const [reached, gone] = [makeGate(), makeGate()];
  const remove = async (id: string): Promise<void> => {
    reached.resolve();
    await gone.promise;
    return app.store[table][method](id);
  };
  const store = { ...app.store, [table]: { ...app.store[table], remove } };
  return { app: { ...app, store }, reached: reached.promise, letGo: gone.resolve };
}

/** Calls `onWait` when an operation finds that it has to wait for another. */
function watchWaiting(app: App, onWait: () => void): App {
  const { locks } = app.store;
  const find: typeof locks.find = async name => {
    const holder = await locks.find(name);
    if (holder) onWait();
    return holder;
  };
  const narrate = (line: string) => {
    if (line.startsWith('waiting for')) onWait();
  };
  return { ...app, narrate, store: { ...app.store, locks: { ...locks, find } } };
}

async function check(site: PairSite, pair: Pair, outcome: PairOutcome): Promise<void> {
  const { app, repository, carrel, temporary, hash, commit } = site;
  for (const ended of [outcome.first, outcome.second]) expectClear(ended, pair);
  await recover(app);
  const hasLanded = [outcome.first, outcome.second].some(isLanding);
  // jj keeps its records among the files of a checkout, and every command of it adds to them.
  if (!hasLanded && site.isWorktree) expect(fingerprint(repository)).toEqual(site.before);
  if (!site.isWorktree) expect(hashWork(repository)).toBe(site.filesBefore);
  if (site.isWorktree) expect(findLeftovers({ repository, carrel, temporary })).toEqual([]);
  expect(await app.store.journal.list()).toEqual([]);
  if (commit !== '') expect(isHeld(repository, commit)).toBe(true);
  const said = [outcome.first, outcome.second].flatMap(ended =>
    'value' in ended ? snapshotIn(ended.value) : [],
  );
  const present = (await app.store.workspaces.list()).map(({ path }) => hashWork(path));
  // What `up` makes is another workspace, without the work.
  const whole = pair.first === 'up' ? [hash, ...present] : [hash];
  for (const id of said) expect(whole, `the snapshot ${id}`).toContain(await hashRestored(site, id));
  if (!present.includes(hash)) expect(await hashSnapshots(site)).toContain(hash);
}

/** An error of the catalogue that names a cause; INTERNAL is none. */
function expectClear(ended: Ended, pair: Pair): void {
  if ('value' in ended) return;
  const told = `${describePair(pair)}: ${(ended.error as Error).stack}`;
  expect(isCarrelError(ended.error) && !isCarrelError(ended.error, 'INTERNAL', 'GIT_FAILED'), told).toBe(
    true,
  );
}

const isLanding = (ended: Ended): boolean =>
  'value' in ended &&
  typeof ended.value === 'object' &&
  ended.value !== null &&
  'updatedCheckouts' in ended.value;

/** The snapshot that `carrel snapshot` said it has taken. */
const snapshotIn = (value: unknown): string[] =>
  typeof value === 'object' && value !== null && 'objectStore' in value ? [(value as Snapshot).id] : [];

async function hashSnapshots(site: PairSite): Promise<string[]> {
  const hashes: string[] = [];
  for (const { id } of await listSnapshots(site.app, { repository: site.repository, all: true }))
    hashes.push(await hashRestored(site, id));
  return hashes;
}

async function hashRestored({ app, repository }: PairSite, id: string): Promise<string> {
  const { length } = await app.store.workspaces.list();
  const { path } = await restoreSnapshot(app, { repository, snapshot: id, as: `check-${length}` });
  return hashWork(path);
}
