import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createSeededRandom } from '../../helpers/seeded-random.js';
import type { Finding } from '../finding.js';
import type { MachineShape } from '../machine/machine.js';
import { findParts, type Parts } from '../machine/parts.js';
import type { NumberedStep } from '../steps/step.js';
import { type EpisodeEnd, runEpisode } from './run-episode.js';
import { shrink } from './shrink.js';
import { createTally, type Tally } from './tally.js';

export interface TortureOptions {
  readonly minutes: number;
  /** Most steps of all episodes together. */
  readonly steps: number;
  readonly seed: number;
  /** A file of an earlier run, to take its steps again. */
  readonly replay: string | undefined;
  /** Longest time for the shrinking of one finding. */
  readonly shrinkMinutes: number;
  readonly say: (line: string) => void;
}

/** Steps of one machine. Few enough that what they show can be shrunk in a minute or two. */
const EPISODE_STEPS = 36;

export interface TortureReport {
  readonly findings: readonly Finding[];
}

/** Lives one episode after the other until the time or the steps are used up, and says what was found. */
export async function runTorture(options: TortureOptions): Promise<TortureReport> {
  const { minutes, seed, say, replay } = options;
  const start = performance.now();
  const parts = await findParts(say);
  const tally = createTally();
  const findings: Finding[] = [];
  if (replay !== undefined) {
    const { shape, steps } = readSequence(replay);
    const { finding } = await runEpisode({ shape, steps, parts, tally });
    if (finding) findings.push(finding);
  } else {
    const deadline = start + minutes * 60_000;
    for (let episode = 0; performance.now() < deadline && tally.steps < options.steps; episode++) {
      const finding = await runOne(episodeSeed(seed, episode), { options, parts, tally, deadline });
      if (finding) findings.push(finding);
    }
  }
  for (const finding of findings) say(`FOUND (${finding.kind}): ${finding.message}`);
  for (const line of describeRun(tally, findings, seed, performance.now() - start)) say(line);
  return { findings };
}

/** An episode depends only on its seed, so that one of them can be run alone: `--seed` with that number. */
const episodeSeed = (seed: number, episode: number): number => seed + episode;

interface Surroundings {
  readonly options: TortureOptions;
  readonly parts: Parts;
  readonly tally: Tally;
  readonly deadline: number;
}

async function runOne(seed: number, around: Surroundings): Promise<Finding | undefined> {
  const { options, parts, tally, deadline } = around;
  const { say } = options;
  const shape = chooseShape(seed, parts);
  const count = Math.min(EPISODE_STEPS, options.steps - tally.steps);
  const end = await runEpisode({ shape, steps: { seed, count }, parts, tally, deadline });
  say(
    `episode ${seed} (${describeShape(shape)}): ${end.steps.length} steps, ${end.finding?.kind ?? 'nothing found'}`,
  );
  if (!end.finding) return undefined;
  say(end.finding.message);
  const steps = await shrinkEnd(end, shape, around);
  const file = writeSequence(seed, shape, steps);
  say(`the shortest sequence that shows it (${steps.length} of ${end.steps.length} steps):`);
  for (const step of steps) say(`  ${JSON.stringify(step)}`);
  say(`replay it with: npm run torture -- --replay ${file}`);
  return end.finding;
}

async function shrinkEnd(
  { steps, finding }: EpisodeEnd,
  shape: MachineShape,
  { options, parts }: Surroundings,
): Promise<readonly NumberedStep[]> {
  const shows = async (shorter: readonly NumberedStep[]) => {
    const end = await runEpisode({ shape, steps: shorter, parts, tally: createTally() });
    return end.finding?.kind === finding?.kind;
  };
  return shrink(steps, { shows, deadline: performance.now() + options.shrinkMinutes * 60_000 });
}

function chooseShape(seed: number, parts: Parts): MachineShape {
  const random = createSeededRandom(seed * 7919 + 1);
  const isJj = parts.jj && random.next() < 0.12;
  const isOverlay = parts.overlay && !isJj && random.next() < 0.25;
  const isTight = parts.smallDisks && random.next() < 0.35;
  return {
    vcs: isJj ? 'jj' : 'git',
    files: isOverlay ? 'overlay' : 'checkout',
    tight: isTight ? random.pick(['state', 'cache', 'repository', 'temporary'] as const) : null,
    isSparse: random.next() < 0.2,
  };
}

const describeShape = ({ vcs, files, tight, isSparse }: MachineShape): string =>
  [vcs, files, ...(tight ? [`small ${tight} disk`] : []), ...(isSparse ? ['sparse'] : [])].join(', ');

/** The machine, then one step on each line. */
function writeSequence(seed: number, shape: MachineShape, steps: readonly NumberedStep[]): string {
  const directory = resolve('.torture');
  mkdirSync(directory, { recursive: true });
  const file = join(directory, `${seed}.jsonl`);
  writeFileSync(file, [shape, ...steps].map(line => `${JSON.stringify(line)}\n`).join(''));
  return file;
}

function readSequence(file: string): { shape: MachineShape; steps: NumberedStep[] } {
  const [shape, ...steps] = readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line));
  return { shape, steps };
}

function describeRun(tally: Tally, findings: readonly Finding[], seed: number, ms: number): string[] {
  const list = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, count]) => `${name} ${count}`)
      .join(', ');
  const losses = findings.filter(({ kind }) => kind === 'loss').length;
  return [
    `operations: ${list(tally.operations)}`,
    `faults: ${list(tally.faults)}; too late: ${tally.missed}`,
    `torture: seed ${seed}, ${tally.steps} steps, ${tally.restored} snapshots restored and compared, ` +
      `${findings.length} findings, ${losses} losses, ${Math.round(ms / 1000)} s`,
  ];
}
