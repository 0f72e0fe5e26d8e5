import type { Stage, Task } from '../../../domain/task/task.js';
import { cleanLine } from '../terminal/clean-line.js';
import { alignColumns } from '../terminal/columns.js';
import { cutToWidth, displayWidth } from '../terminal/display-width.js';
import type { Paint } from '../terminal/output.js';
import { printable } from '../terminal/printable.js';
import { formatElapsed, formatUsage } from '../views/format-amounts.js';
import { firstLine, formatMark, formatTaskIsolation, stageTime, workTime } from '../views/task/task-marks.js';

export interface Frame {
  /** The current activity by stage name; cleaned here. */
  readonly activities: ReadonlyMap<string, string>;
  readonly width: number;
  readonly height: number;
  readonly now: number;
  readonly paint: Paint;
}

/** The live view of a task: a headline, a line for each stage, and the activity below the running ones. */
export function renderTask(task: Task, frame: Frame): string[] {
  const stages = chooseStages(task.stages, frame.height - 2);
  const lines = alignColumns(stages.shown.map(stage => formatStage(stage, frame)));
  return [
    headline(task, frame),
    ...(stages.before > 0 ? [`  ${frame.paint.green('✓')} ${stages.before} stages before`] : []),
    ...stages.shown.flatMap((stage, index) => [`  ${lines[index]}`, ...activityOf(stage, frame)]),
    ...(stages.after > 0 ? [`  ${frame.paint.dim(`· ${stages.after} more to come`)}`] : []),
    ...taskActivity(task, frame),
  ].map(line => cutToWidth(line, frame.width));
}

/** `▸ add a dark mode        feature · full · 2m 14s · 15k tokens, $0.12`; only the time on the narrowest terminals. */
function headline(task: Task, { width, now, paint }: Frame): string {
  const elapsed = formatElapsed(workTime(task, now));
  const facts = [task.workflow, formatTaskIsolation(task.isolation), elapsed, formatUsage(task.usage)];
  const all = facts.filter(Boolean).join(' · ');
  const right = displayWidth(all) <= (width * 2) / 3 ? all : elapsed;
  const mark = `${formatMark(task.status, paint)} `;
  const room = width - 2 - displayWidth(right) - 2;
  const title = cutToWidth(printable(firstLine(task.description)), room);
  return `${mark}${paint.bold(title)}${' '.repeat(Math.max(2, room - displayWidth(title) + 2))}${paint.dim(right)}`;
}

/** When there is no room for all: the finished stages become one line, and if needed the pending ones too. */
function chooseStages(stages: readonly Stage[], room: number) {
  const running = stages.filter(stage => stage.status === 'running').length;
  const firstOpen = stages.findIndex(stage => stage.status !== 'succeeded');
  const done = firstOpen === -1 ? stages.length : firstOpen;
  const isTooHigh = stages.length + running > room;
  const before = isTooHigh && done > 1 ? done : 0;
  const isStillTooHigh = stages.length + running - before + (before > 0 ? 1 : 0) > room;
  const begun = stages.findLastIndex(stage => stage.status !== 'pending') + 1;
  const after = isStillTooHigh ? stages.length - Math.max(begun, before) : 0;
  return { before, shown: stages.slice(before, stages.length - after), after };
}

function formatStage(stage: Stage, { now, paint }: Frame): string[] {
  const time = stageTime(stage, now);
  const { status, attempts, usage } = stage;
  const name = printable(stage.name);
  return [
    `${formatMark(status, paint)} ${status === 'pending' ? paint.dim(name) : name}`,
    paint.dim(printable(stage.agent)),
    time === undefined ? '' : formatElapsed(time),
    attempts > 1 ? `attempt ${attempts}` : '',
    formatUsage(usage),
  ];
}

function activityOf(stage: Stage, { activities, paint }: Frame): string[] {
  if (stage.status === 'failed' && stage.failure)
    return [`      ${paint.red(printable(firstLine(stage.failure.message)))}`];
  const activity = stage.status === 'running' ? cleanLine(activities.get(stage.name) ?? '').trim() : '';
  return activity === '' ? [] : [`      ${paint.dim(activity)}`];
}

/** What happens outside of the stages. */
function taskActivity({ status, validation, stages, workspaceId }: Task, { paint }: Frame): string[] {
  if (status === 'waiting') return [`  ${paint.dim('waiting for its turn')}`];
  if (status === 'running' && workspaceId === null) return [`  ${paint.dim('creating the workspace')}`];
  if (status === 'validating' && validation.length === 0) return [`  ${paint.cyan('▸')} validating`];
  const isValidated = stages.every(stage => stage.status === 'succeeded');
  if (validation.length === 0 || !isValidated) return [];
  const failed = validation.filter(result => !result.passed).map(result => printable(result.name));
  const mark = formatMark(failed.length > 0 ? 'failed' : 'succeeded', paint);
  const total = validation.length === 1 ? '1 expectation' : `${validation.length} expectations`;
  const passed = `${validation.length - failed.length} of ${total} met`;
  return [`  ${mark} validation  ${passed}${failed.length > 0 ? `; failed: ${failed.join(', ')}` : ''}`];
}
