import type { Machine } from '../machine/machine.js';
import {
  findByLabel,
  findByName,
  type KnownSnapshot,
  listByName,
  type Model,
  type Place,
  type WorkspaceKind,
} from '../model/model.js';
import type { Events, Intent } from './intent.js';
import type { CommandStep } from './step.js';

export interface Plan {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly intent: Intent;
}

/** The command line of a step; undefined when, as things are, it means nothing. */
export function planCommand(step: CommandStep, n: number, model: Model, machine: Machine): Plan | undefined {
  const made = planOf(step, n, model, machine);
  // A name means a workspace of the directory that one is in.
  const name = 'name' in step ? step.name : undefined;
  const isOfCopy = name !== undefined && findByName(model, name)?.kind === 'copy';
  return made && { cwd: isOfCopy ? machine.plain : machine.repository, ...made };
}

type PlanOf = Omit<Plan, 'cwd'> & { readonly cwd?: string };

function planOf(step: CommandStep, n: number, model: Model, machine: Machine): PlanOf | undefined {
  switch (step.op) {
    case 'up':
      return planUp(step, model, machine);
    case 'exec':
      return planExec(step, n, model);
    case 'snapshot':
      return planSnapshot(step.name, model);
    case 'restore': {
      const from = findByLabel(model, step.from);
      return (
        from && planRestore(from, [from.id, ...(step.as ? ['--as', step.as] : [])], step.as, model, machine)
      );
    }
    case 'restore-latest': {
      const from = findLatest(model, step.name);
      return from && planRestore(from, [step.name], null, model, machine);
    }
    case 'down':
      return planDown(step, model);
    case 'reset':
      return planReset(step, model);
    case 'land':
      return planLand(step, n, model);
    case 'gc':
      return {
        args: ['gc', '--yes', ...step.options, '--json'],
        intent: { what: 'gc', mustSucceed: !model.hasWrongTimes, removes: 'any', snapshots: 'any' },
      };
    case 'look':
      return planLook(step.words, model, machine);
    case 'doctor':
      return { args: ['doctor', ...step.options, '--json'], intent: { what: 'doctor', mustSucceed: false } };
    case 'pool':
      return {
        args: ['pool', ...step.words, '--json'],
        intent: { what: `pool ${step.words.join(' ')}`, mustSucceed: machine.shape.vcs === 'git' },
      };
    case 'task':
      return planTask(step.options);
  }
}

function planUp(
  { name, kind, base, isGroup }: Extract<CommandStep, { op: 'up' }>,
  model: Model,
  { plain, beside }: Machine,
): PlanOf {
  const both = isGroup ? ['--with-repository', beside] : [];
  const from = kind === 'copy' ? ['--copy', plain] : ['--isolation', kind === 'full' ? 'full' : 'worktree'];
  const strict = kind === 'full' ? ['--strict'] : [];
  const isFree = findByName(model, name) === undefined;
  return {
    args: ['up', name, ...from, ...strict, ...both, ...(base ? ['--base', base] : []), '--json'],
    intent: {
      what: `up ${name}`,
      mustSucceed: isFree,
      ...(isFree && {
        creates: { name, kind, holds: null, omitted: [], changing: [], isFilesOnly: false },
        confirm: ({ appeared }) => expectSome('a workspace', appeared, isGroup ? 2 : 1),
      }),
    },
  };
}

/** Each ends by itself within a second or two. */
const SCRIPTS = {
  write: (n: number) => `echo ${n} >> exec.txt; mkdir -p exec.d; echo ${n} > "exec.d/file ${n}"`,
  slow: (n: number) =>
    `mkdir -p exec.d; for at in 1 2 3 4 5 6 7 8; do echo $at > "exec.d/slow-${n}-$at"; sleep 0.1; done`,
  commit: (n: number) =>
    `echo ${n} > exec.txt; git add --force exec.txt; git -c user.name=T -c user.email=t@example.com commit -qm ${n} || true`,
};

/** To the other part, by the shell alone. */
const TO_BESIDE = `rest=\${CARREL_REPOSITORIES#*\\"beside\\":\\"}; cd "\${rest%%\\"*}"`;

function planExec(
  { name, work }: Extract<CommandStep, { op: 'exec' }>,
  n: number,
  model: Model,
): PlanOf | undefined {
  const workspace = findByName(model, name);
  const isGit = work === 'commit' && (workspace?.kind === 'git' || workspace?.kind === 'full');
  const once = SCRIPTS[work === 'commit' && !isGit ? 'write' : work](n);
  const script = workspace?.isPart ? `${once}; ${TO_BESIDE}; ${once}` : once;
  return {
    args: ['exec', name, '--', 'sh', '-c', script],
    intent: {
      what: `exec ${name}`,
      mustSucceed: workspace !== undefined && !workspace.isMissing,
      changes: { name, paths: ['exec.txt', 'exec.d'], isGit: true },
      snapshots: name,
    },
  };
}

function planSnapshot(name: string, model: Model): PlanOf {
  const workspace = findByName(model, name);
  const count = countParts(model, name);
  return {
    args: ['snapshot', name, '--json'],
    intent: {
      what: `snapshot ${name}`,
      mustSucceed: workspace !== undefined && !workspace.isMissing,
      snapshots: name,
      confirm: ({ taken }) => expectSome('a snapshot', taken, count),
    },
  };
}

function planRestore(
  from: KnownSnapshot,
  words: readonly string[],
  as: string | null,
  model: Model,
  { plain }: Machine,
): PlanOf {
  const name = as ?? from.workspaceName;
  const isFree = findByName(model, name) === undefined;
  const { kind, holds, omitted, changing, isFilesOnly, set } = from;
  const all = set === null ? [from] : [...model.snapshots.values()].filter(one => one.set === set);
  const holdsIn = set === null ? undefined : { user: holdsOf(all, 'user'), beside: holdsOf(all, 'beside') };
  return {
    args: ['restore', ...words, '--json'],
    ...(kind === 'copy' && { cwd: plain }),
    intent: {
      what: `restore ${words.join(' ')} (the snapshot of step ${from.label})`,
      mustSucceed: isFree,
      ...(isFree && {
        creates: {
          ...{ name, kind, holds, holdsIn, changing, isFilesOnly },
          omitted: set === null ? omitted : all.flatMap(one => one.omitted),
        },
        confirm: ({ appeared }) => expectSome('a workspace', appeared, all.length),
      }),
    },
  };
}

const holdsOf = (snapshots: readonly KnownSnapshot[], place: Place) =>
  snapshots.filter(one => one.place === place).flatMap(({ holds }) => holds);

const DISCARDS = ['--discard-changes', '--discard-commits', '--stop-processes', '--break-lease'];

function planDown({ name, discards }: Extract<CommandStep, { op: 'down' }>, model: Model): PlanOf {
  const workspace = findByName(model, name);
  const count = countParts(model, name);
  return {
    args: ['down', name, ...(discards ? DISCARDS : []), '--json'],
    intent: {
      what: `down ${name}${discards ? ' with all that discards' : ''}`,
      mustSucceed: discards && workspace !== undefined,
      removes: name,
      ...(discards && { stops: name }),
      snapshots: name,
      confirm: ({ vanished }) => expectSome('the removal of the workspace', vanished, count),
    },
  };
}

const RESET_DISCARDS = ['--discard-changes', '--discard-commits', '--stop-processes'];

function planReset({ name, discards }: Extract<CommandStep, { op: 'reset' }>, model: Model): PlanOf {
  const workspace = findByName(model, name);
  return {
    args: ['reset', name, ...(discards ? RESET_DISCARDS : []), '--json'],
    intent: {
      what: `reset ${name}${discards ? ' with all that discards' : ''}`,
      mustSucceed: discards && workspace !== undefined && !workspace.isMissing,
      resets: name,
      ...(discards && { stops: name }),
      snapshots: name,
      confirm: ({ taken }) => (taken.length > 0 ? [] : ['expected a snapshot, found none']),
    },
  };
}

function planLand(
  { name, into, options }: Extract<CommandStep, { op: 'land' }>,
  n: number,
  model: Model,
): PlanOf | undefined {
  if (findByName(model, name)?.kind === 'copy') return undefined;
  return {
    args: ['land', name, '--into', into, '-m', `landed ${n}`, ...options, '--json'],
    intent: {
      what: `land ${name}`,
      mustSucceed: false,
      removes: name,
      snapshots: name,
      changes: { name, paths: [], isGit: true },
      lands: into,
    },
  };
}

/** How the names of its workspaces begin. */
export const TASK_NAME = 'do-it-';

/** Its work is on a branch or in its own workspace; a task that fails reports it and is not refused. */
function planTask(options: readonly string[]): PlanOf {
  const creates = {
    name: TASK_NAME,
    kind: 'git',
    holds: 'any',
    omitted: [],
    changing: [],
    isFilesOnly: true,
  } as const;
  return {
    args: ['run', 'Do it', ...options, '--json'],
    intent: {
      ...{ what: 'run', mustSucceed: true, creates, snapshots: 'any' },
      ...(options.includes('--land') && { lands: 'main', mustSucceed: false }),
    },
  };
}

function planLook(words: readonly string[], model: Model, { plain }: Machine): PlanOf {
  const [, name] = words;
  const named = name === undefined || name.startsWith('-') ? null : findByName(model, name);
  const mustSucceed =
    named === null || (named !== undefined && !named.isMissing) || LISTS.has(words[0] ?? '');
  const cwd = named?.kind === 'copy' ? { cwd: plain } : {};
  return { args: [...words, '--json'], ...cwd, intent: { what: words.join(' '), mustSucceed } };
}

/** These are about more than the one workspace that they may name. */
const LISTS: ReadonlySet<string> = new Set(['ls', 'snapshots', 'task', 'pool', 'config', 'gc']);

/** By the order in which they were taken, which is that of time unless the clock was wrong. */
function findLatest(model: Model, name: string): KnownSnapshot | undefined {
  if (model.hasWrongTimes) return undefined;
  return [...model.snapshots.values()].findLast(snapshot => snapshot.workspaceName === name);
}

const expectSome = (what: string, found: Events[keyof Events], count: number): string[] =>
  found.length === count
    ? []
    : [`expected ${what}${count === 1 ? '' : ' in each repository'}, found ${found.length}`];

const countParts = (model: Model, name: string): number => Math.max(1, listByName(model, name).length);

/** What a record says about a workspace's kind. */
export interface KindFacts {
  readonly backend: string;
  readonly sandbox?: unknown;
}

export const kindOf = (record: KindFacts): WorkspaceKind => {
  if (record.backend === 'directory') return 'copy';
  if (record.sandbox) return 'full';
  return record.backend === 'jj' ? 'jj' : 'git';
};
