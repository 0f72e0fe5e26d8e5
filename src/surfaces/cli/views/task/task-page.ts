import type { Run, Stage, Task } from '../../../../domain/task/task.js';
import { formatSize } from '../../../../domain/text/format-quantity.js';
import { cleanLine } from '../../terminal/clean-line.js';
import { alignColumns } from '../../terminal/columns.js';
import type { Paint } from '../../terminal/output.js';
import { printable } from '../../terminal/printable.js';
import { formatAgo } from '../ago.js';
import { formatElapsed, formatUsage } from '../format-amounts.js';
import { section } from '../section.js';
import { formatNextCommands } from './next-commands.js';
import {
  type Fact,
  fleetFact,
  formatFailure,
  formatValidation,
  isolationFact,
  usageFact,
  workFacts,
} from './task-facts.js';
import { formatMark, stageTime } from './task-marks.js';

/** `carrel task show` as text: facts, then the stages, then the next commands. */
export function formatTaskPage(task: Task, paint: Paint, now: number): string {
  const { stages, validation, failure, warnings, runs, description, issue } = task;
  const facts = listFacts(task, now).map(([key, value]) => [key, printable(value)]);
  return [
    alignColumns(facts).join('\n'),
    ...section('Description', description.trim().split('\n').map(cleanLine)),
    ...section('Issue', issue ? [printable([`#${issue.number}`, issue.url].filter(Boolean).join(' '))] : []),
    ...section('Repositories', formatRepositories(task)),
    ...section('Stages', formatStages(stages, paint, now)),
    ...section('Outputs', formatOutputs(stages)),
    ...section('Validation', formatValidation(validation, paint)),
    ...section('Failure', failure ? formatFailure(failure, paint) : []),
    ...section('Warnings', [...warnings, ...stages.flatMap(stageWarnings)].map(printable)),
    ...section('Runs', runs.length > 1 ? alignColumns(runs.map(run => formatRun(run, now))) : []),
    ...section('Next', formatNextCommands(task)),
  ].join('\n\n');
}

function listFacts(task: Task, now: number): Fact[] {
  const { id, status, workflow, agent, repository, priority, base, createdAt, endedAt } = task;
  return [
    ['id', id],
    ['status', status],
    ['workflow', agent === null ? workflow : `${workflow}, all stages with ${agent}`],
    isolationFact(task),
    ['repository', repository],
    ...(base === null ? [] : ([['base', base]] as const)),
    ...fleetFact(task),
    ...workFacts(task),
    ...usageFact(task),
    ...(priority === 0 ? [] : ([['priority', String(priority)]] as const)),
    ['created', formatAgo(createdAt, now)],
    ...(endedAt === null ? [] : ([['ended', formatAgo(endedAt, now)]] as const)),
  ];
}

const formatRepositories = ({ repositories = [] }: Task): string[] =>
  alignColumns(
    repositories.map(({ alias, repository, base, head }) => [
      printable(alias),
      printable(repository),
      head === null ? '' : `at ${head.slice(0, 12)}${head === base ? ', nothing committed' : ''}`,
    ]),
  );

/** Below each stage, the last message of the agent or the failure. */
function formatStages(stages: readonly Stage[], paint: Paint, now: number): string[] {
  const lines = alignColumns(stages.map(stage => formatStage(stage, paint, now)));
  return stages.flatMap((stage, index) => {
    const words = stage.failure?.message ?? stage.message;
    return [lines[index] ?? '', ...(words ? [`    ${shorten(words)}`] : [])];
  });
}

function formatStage(stage: Stage, paint: Paint, now: number): string[] {
  const { status, name, agent, attempts, changed, usage } = stage;
  const time = stageTime(stage, now);
  return [
    `${formatMark(status, paint)} ${printable(name)}`,
    printable(agent),
    status,
    time === undefined ? '' : formatElapsed(time),
    attempts > 1 ? `${attempts} attempts` : '',
    changed === false ? 'no change' : '',
    formatUsage(usage),
  ];
}

const MOST_WORDS = 100;

function shorten(words: string): string {
  const line = cleanLine(words.trim().replaceAll(/\s+/g, ' '));
  return line.length > MOST_WORDS ? `${line.slice(0, MOST_WORDS - 1)}…` : line;
}

function formatOutputs(stages: readonly Stage[]): string[] {
  const rows = stages.flatMap(stage =>
    stage.outputs.map(({ name, file, bytes }) => [printable(name), formatSize(bytes), printable(file)]),
  );
  return alignColumns(rows);
}

const stageWarnings = ({ name, warnings }: Stage): string[] => warnings.map(text => `${name}: ${text}`);

function formatRun({ startedAt, endedAt, outcome }: Run, now: number): string[] {
  const time = (endedAt === null ? now : Date.parse(endedAt)) - Date.parse(startedAt);
  return [formatAgo(startedAt, now), outcome, formatElapsed(time)];
}
