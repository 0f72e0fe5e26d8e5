import { operationSteps } from '../../../src/domain/journal.js';
import type { SeededRandom } from '../../helpers/seeded-random.js';
import { listVerifiable } from '../checks/verify-snapshot.js';
import type { MachineShape } from '../machine/machine.js';
import type { Parts } from '../machine/parts.js';
import type { KnownSnapshot, KnownWorkspace, Model, WorkspaceKind } from '../model/model.js';
import { allEditKinds, plainEditKinds } from './edits.js';
import type { CommandStep, Fault, Step } from './step.js';

export interface Choice {
  readonly random: SeededRandom;
  readonly model: Model;
  readonly shape: MachineShape;
  readonly parts: Parts;
  /** How long commands took, in milliseconds, so that a signal comes while one runs. */
  readonly durations: ReadonlyMap<string, number>;
}

export function chooseStep(choice: Choice): Step {
  const { random, model } = choice;
  const up = [...model.workspaces.values()];
  const kinds = up.length === 0 ? ['up'] : weighted(up.length < 3 ? { ...USUAL, up: 5 } : USUAL);
  const op = random.pick(kinds);
  const world = chooseWorldStep(op, choice, up);
  if (world) return world;
  const step = chooseCommand(op, choice, up);
  const fault = random.next() < 0.5 ? chooseFault(step, choice, up) : undefined;
  return fault ? { ...step, fault } : step;
}

const USUAL: Readonly<Record<string, number>> = {
  edit: 16,
  exec: 4,
  snapshot: 5,
  restore: 4,
  'restore-latest': 2,
  down: 5,
  reset: 3,
  land: 4,
  look: 3,
  gc: 1,
  doctor: 1,
  pool: 1,
  task: 2,
  up: 3,
  'lose-records': 1,
  'move-repository': 1,
  'delete-directory': 1,
  'git-gc': 1,
  'worktree-prune': 1,
  'user-edit': 1,
  'user-commit': 1,
};

const weighted = (weights: Readonly<Record<string, number>>): string[] =>
  Object.entries(weights).flatMap(([op, weight]) => Array<string>(weight).fill(op));

function chooseWorldStep(
  op: string,
  { random, shape }: Choice,
  up: readonly KnownWorkspace[],
): Step | undefined {
  const seed = Math.floor(random.next() * 2 ** 31);
  switch (op) {
    case 'edit': {
      const { name, kind } = random.pick(up);
      return { op, name, edit: random.pick(kind === 'git' ? allEditKinds : plainEditKinds), seed };
    }
    case 'lose-records':
      return { op, how: random.pick(['gone', 'older', 'emptied']) };
    case 'delete-directory':
      return { op, name: random.pick(up).name };
    case 'move-repository':
      return shape.vcs === 'git' ? { op } : { op: 'git-gc' };
    case 'git-gc':
    case 'worktree-prune':
      return { op };
    case 'user-edit':
      return { op, seed };
    case 'user-commit':
      return shape.vcs === 'git' ? { op } : { op: 'user-edit', seed };
    default:
      return undefined;
  }
}

function chooseCommand(op: string, choice: Choice, up: readonly KnownWorkspace[]): CommandStep {
  const { random, model } = choice;
  const snapshots = listVerifiable(model);
  const { name } = up.length > 0 ? random.pick(up) : { name: 'w1' };
  switch (op) {
    case 'exec':
      return { op, name, work: random.pick(['write', 'commit', 'slow']) };
    case 'snapshot':
      return { op, name };
    case 'restore':
      return snapshots.length > 0 ? chooseRestore(random, snapshots) : { op: 'snapshot', name };
    case 'restore-latest':
      return { op, name: random.pick(['w1', 'w2', 'w3', 'c1', 'f1']) };
    case 'down':
      return { op, name, discards: random.next() < 0.7 };
    case 'reset':
      return { op, name, discards: random.next() < 0.7 };
    case 'land':
      return { op, name, into: random.pick(['main', 'other']), options: random.pick(LAND_OPTIONS) };
    case 'look':
      return { op, words: random.pick(LOOKS)(name) };
    case 'gc':
      return { op, options: random.pick([['--older-than', '0s'], [], ['--all', '--older-than', '0s']]) };
    case 'doctor':
      return { op, options: random.pick([[], ['--repair']]) };
    case 'pool':
      return { op, words: random.pick([['warm', '1'], ['drain'], ['status']]) };
    case 'task':
      if (choice.shape.vcs === 'jj') return { op: 'look', words: ['ls'] };
      return { op, options: random.pick([[], ['--keep'], ['--land']]) };
    default:
      return chooseUp(choice);
  }
}

/** Copies are of another directory, and have separate names here so that a name means one workspace. */
function chooseRestore(random: SeededRandom, snapshots: readonly KnownSnapshot[]): CommandStep {
  const { label, kind } = random.pick(snapshots);
  return {
    op: 'restore',
    from: label,
    as: random.pick([null, ...(kind === 'copy' ? ['k1'] : ['r1', 'r2'])]),
  };
}

const LAND_OPTIONS = [[], ['--keep'], ['--squash'], ['--rebase'], ['--squash', '--keep']];

const LOOKS: readonly ((name: string) => string[])[] = [
  () => ['ls'],
  () => ['ls', '--all'],
  () => ['snapshots', '--all'],
  () => ['gc'],
  name => ['show', name],
  name => ['diff', name],
  name => ['diff', name, '--stat'],
  name => ['diff', name, '--name-only'],
  name => ['snapshots', name],
  name => ['path', name],
];

function chooseUp({ random, shape, parts }: Choice): CommandStep {
  const usual: WorkspaceKind = shape.vcs === 'jj' ? 'jj' : 'git';
  const kinds: WorkspaceKind[] = [usual, usual, usual, 'copy'];
  if (parts.bubblewrap && shape.vcs === 'git') kinds.push('full');
  if (shape.vcs === 'git' && random.next() < 0.25) return chooseGroup(random, parts);
  const kind = random.pick(kinds);
  const named: Partial<Record<WorkspaceKind, string>> = { copy: 'c1', full: 'f1' };
  const name = named[kind] ?? random.pick(['w1', 'w2', 'w3']);
  return { op: 'up', name, kind, ...(kind === 'git' && random.next() < 0.2 && { base: 'other' }) };
}

/** Separate names, so that a name means one workspace in both repositories. */
function chooseGroup(random: SeededRandom, { bubblewrap }: Parts): CommandStep {
  const isFull = bubblewrap && random.next() < 0.3;
  return { op: 'up', name: isFull ? 'h1' : 'g1', kind: isFull ? 'full' : 'git', isGroup: true };
}

/** Operations that have a journal, by the name of their command. */
const JOURNALS: Readonly<Record<string, keyof typeof operationSteps>> = {
  up: 'up',
  restore: 'restore',
  'restore-latest': 'restore',
  snapshot: 'snapshot',
  down: 'down',
  reset: 'reset',
  land: 'land',
  gc: 'down',
};

function chooseFault(step: CommandStep, choice: Choice, up: readonly KnownWorkspace[]): Fault | undefined {
  const { random, shape, durations } = choice;
  const usualMs = durations.get(step.op) ?? 800;
  const afterMs = Math.round(usualMs * (0.2 + 0.9 * random.next()));
  const journal = JOURNALS[step.op];
  const kinds = ['kill', 'kill-tree', 'terminate', 'interrupt', 'stop', 'clock', 'beside', 'beside'];
  if (journal) kinds.push('kill-at', 'kill-at', 'kill-at');
  if (shape.tight) kinds.push('full-disk', 'full-disk', 'full-disk', 'full-disk');
  const kind = random.pick(kinds);
  switch (kind) {
    case 'kill-at':
      return journal && { kind, moment: `${journal}:${random.pick<string>(operationSteps[journal])}` };
    case 'clock':
      return { kind, days: random.pick([-1800, -1, 1, 40, 800]) };
    case 'full-disk':
      return { kind, leftKb: random.pick([0, 0, 16, 64, 120, 200, 400]) };
    case 'beside':
      return up.length > 0
        ? { kind, delayMs: Math.round(random.next() * usualMs * 0.6), other: chooseOther(choice, step, up) }
        : undefined;
    default:
      return { kind, afterMs } as Fault;
  }
}

/** Mostly on the same workspace, where the two can be in each other's way. */
function chooseOther(choice: Choice, step: CommandStep, up: readonly KnownWorkspace[]): CommandStep {
  const ops = [
    'up',
    'snapshot',
    'snapshot',
    'restore',
    'down',
    'reset',
    'land',
    'look',
    'look',
    'gc',
    'exec',
  ];
  const same = up.filter(({ name }) => 'name' in step && step.name === name);
  const isSame = same.length > 0 && choice.random.next() < 0.6;
  return chooseCommand(choice.random.pick(ops), choice, isSame ? same : up);
}
