import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { childrenOf } from '../machine/processes.js';
import { git } from '../repository.js';
import { createSeededRandom, type SeededRandom } from '../seeded-random.js';
import { type CrashSite, hashFiles, isHeld, type Work, workIn } from './crash-site.js';

export interface CampaignOptions {
  readonly runs: number;
  readonly seed: number;
  /** `process` kills Carrel alone and lets a git that it started go on; `tree` kills all of them. */
  readonly kill: 'process' | 'tree';
}

export interface CampaignReport {
  /** Runs that really were killed before they ended by themselves, by operation. */
  readonly killed: Readonly<Record<string, number>>;
  readonly finished: number;
}

type Operation = 'up' | 'restore' | 'snapshot' | 'down' | 'land';

/** What one workspace should hold, whether it is there or only in a snapshot. */
interface Fixture {
  readonly name: string;
  work: Work | undefined;
  isUp: boolean;
  /** Whether the last attempt to bring it up was killed; the next one is let through, so that others get their turn. */
  wasKilledComingUp: boolean;
}

const NAMES = ['a', 'b', 'c'];

/**
 * Kills one random operation after the other at random moments, and looks each time whether anything is left over or
 * lost. Three workspaces, so that each kill has bystanders.
 */
export async function runKillCampaign(site: CrashSite, options: CampaignOptions): Promise<CampaignReport> {
  const random = createSeededRandom(options.seed);
  const fixtures = NAMES.map(
    (name): Fixture => ({ name, work: undefined, isUp: false, wasKilledComingUp: false }),
  );
  const durations = new Map<Operation, number>();
  const killed: Record<string, number> = {};
  let finished = 0;
  for (let run = 1; run <= options.runs; run++) {
    const fixture = random.pick(fixtures);
    const operation = chooseOperation(random, fixture);
    if (fixture.isUp) fixture.work = workIn(pathOf(site, fixture), `run-${run}`);
    const main = git(site.repository, 'rev-parse', 'main');
    // The first of a kind shows how long it takes; what comes before the first step is mostly the start of Node.
    const known = durations.get(operation);
    const isSpared = known === undefined || fixture.wasKilledComingUp;
    const afterMs = isSpared ? undefined : known * (0.25 + 0.8 * random.next());
    const result = await runAndKill(site, commandLine(operation, fixture.name), afterMs, options.kill);
    if (!result.wasKilled) {
      finished++;
      durations.set(operation, result.durationMs);
    } else killed[operation] = (killed[operation] ?? 0) + 1;
    const moment = `seed ${options.seed}, run ${run}: ${operation} ${fixture.name}, killed after ${afterMs} ms`;
    check(site, fixtures, { fixture, operation, main, wasKilled: result.wasKilled, moment });
  }
  return { killed, finished };
}

function chooseOperation(random: SeededRandom, fixture: Fixture): Operation {
  if (fixture.isUp) return random.pick(['snapshot', 'down', 'down', 'land']);
  return fixture.work ? 'restore' : 'up';
}

function commandLine(operation: Operation, name: string): string[] {
  switch (operation) {
    case 'down':
      return ['down', name, '--discard-changes', '--discard-commits'];
    case 'land':
      return ['land', name, '-m', 'landed'];
    default:
      return [operation, name];
  }
}

async function runAndKill(
  site: CrashSite,
  args: readonly string[],
  afterMs: number | undefined,
  how: CampaignOptions['kill'],
) {
  const start = performance.now();
  const running = site.carrel.start(site.repository, ...args);
  const timer = new AbortController();
  if (afterMs !== undefined)
    void delay(afterMs, undefined, { signal: timer.signal }).then(
      () => kill(running.child, how),
      () => undefined,
    );
  const outcome = await running;
  timer.abort();
  const wasKilled = outcome.signal === 'SIGKILL';
  if (!wasKilled) expect(outcome, `carrel ${args.join(' ')}`).toMatchObject({ status: 0 });
  return { wasKilled, durationMs: performance.now() - start };
}

function kill(child: ChildProcess, how: CampaignOptions['kill']): void {
  const others = how === 'tree' ? descendantsOf(child.pid ?? 0) : [];
  child.kill('SIGKILL');
  for (const pid of others) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }
}

function descendantsOf(pid: number): number[] {
  const children = childrenOf(pid).map(line => Number.parseInt(line, 10));
  return children.flatMap(child => [child, ...descendantsOf(child)]);
}

interface Run {
  readonly fixture: Fixture;
  readonly operation: Operation;
  /** Where main was before. */
  readonly main: string;
  readonly wasKilled: boolean;
  readonly moment: string;
}

function check(site: CrashSite, fixtures: readonly Fixture[], run: Run): void {
  const { fixture, operation, moment } = run;
  const names = site.settle(moment).map(({ name }) => name);
  fixture.isUp = names.includes(fixture.name);
  fixture.wasKilledComingUp =
    !fixture.isUp && run.wasKilled && (operation === 'up' || operation === 'restore');
  if (!run.wasKilled)
    expect(fixture.isUp, moment).toBe(
      operation === 'up' || operation === 'restore' || operation === 'snapshot',
    );
  expect(names.toSorted(), moment).toEqual(fixtures.filter(({ isUp }) => isUp).map(({ name }) => name));
  expect(git(site.repository, 'status', '--porcelain'), moment).toBe('');
  const hasMoved = git(site.repository, 'rev-parse', 'main') !== run.main;
  if (operation !== 'land') expect(hasMoved, moment).toBe(false);
  if (hasMoved) expect(existsSync(join(site.repository, `${fixture.work?.label}.txt`)), moment).toBe(true);
  for (const { isUp, work, name } of fixtures) {
    if (work && isUp) expect(hashFiles(work.path), `${moment}; files of ${name}`).toBe(work.hash);
    if (work) expect(isHeld(site.repository, work.commit), `${moment}; commit of ${name}`).toBe(true);
  }
  // Landed and gone: the next one of that name begins anew.
  if (hasMoved && !fixture.isUp) fixture.work = undefined;
}

function pathOf(site: CrashSite, fixture: Fixture): string {
  return join(site.carrel.cacheDir, 'worktrees', 'repo', fixture.name);
}
