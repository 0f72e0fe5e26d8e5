import type { BatchProgress, SlotState } from '../../../batch/batch-observer.js';
import type { BatchPlan } from '../../../domain/batch/batch-run.js';
import { cleanLine } from '../terminal/clean-line.js';
import { alignColumns } from '../terminal/columns.js';
import { cutToWidth } from '../terminal/display-width.js';
import type { Paint } from '../terminal/output.js';
import { formatCost, formatElapsed } from '../views/format-amounts.js';

export interface BatchFrame {
  readonly width: number;
  readonly height: number;
  readonly now: number;
  readonly paint: Paint;
}

/** A progress bar with the time left, and a line for each running attempt. */
export function renderBatch(progress: BatchProgress, plan: BatchPlan, frame: BatchFrame): string[] {
  const { draining, slots } = progress;
  const { paint, height, width } = frame;
  const notice = draining === null ? [] : [`  ${paint.yellow(`starting nothing new: ${draining}`)}`];
  const room = Math.max(1, height - 1 - notice.length);
  const shown = slots.length <= room ? slots : slots.slice(0, Math.max(0, room - 1));
  const rest = slots.length - shown.length;
  const lines = alignColumns(shown.map(slot => formatSlot(slot, plan, frame)));
  return [
    headline(progress, frame),
    ...notice,
    ...lines.map(line => `  ${line}`),
    ...(rest > 0 ? [`  ${paint.dim(`· ${rest} more running`)}`] : []),
  ].map(line => cutToWidth(line, width));
}

const BAR_WIDTH = 24;
/** Below this width there is no room for the bar. */
const WIDTH_FOR_BAR = 64;

/** `[=====>    ] 12/40  75% passed  $1.20  2m 10s, about 5m 00s left` */
function headline(progress: BatchProgress, { now, paint, width }: BatchFrame): string {
  const { done, total, totals, costUsd, startedAt } = progress;
  const graded = totals.passed + totals.failed;
  const parts = [
    `${width < WIDTH_FOR_BAR ? '' : bar(done, total, paint)}${paint.bold(`${done}/${total}`)}`,
    graded === 0 ? '' : `${Math.round((totals.passed / graded) * 100)}% passed`,
    totals.errors > 0 ? paint.yellow(`${totals.errors} not graded`) : '',
    formatCost(costUsd),
    [formatElapsed(now - startedAt), formatLeft(progress, now)].filter(Boolean).join(', '),
  ];
  return parts.filter(Boolean).join('  ');
}

function bar(done: number, total: number, paint: Paint): string {
  const filled = total === 0 ? BAR_WIDTH : Math.floor((done / total) * BAR_WIDTH);
  return `[${paint.green('='.repeat(filled))}${' '.repeat(BAR_WIDTH - filled)}] `;
}

/** Estimated from this run's attempts. Empty before the first one finishes, and when the rest will not run. */
function formatLeft({ done, doneBefore, total, startedAt, draining }: BatchProgress, now: number): string {
  const ended = done - doneBefore;
  if (ended === 0 || done >= total || draining !== null) return '';
  return `about ${formatElapsed(((now - startedAt) / ended) * (total - done))} left`;
}

const DOING: Readonly<Record<SlotState['phase'], string>> = {
  acquire: 'workspace',
  setup: 'setup',
  agent: 'agent',
  collect: 'collecting',
  grade: 'grading',
  release: 'releasing',
};

function formatSlot(slot: SlotState, { attemptsPerTask }: BatchPlan, { now, paint }: BatchFrame): string[] {
  const name = attemptsPerTask > 1 ? `${slot.taskId} #${slot.attempt}` : slot.taskId;
  const activity = slot.activity === undefined ? '' : cleanLine(slot.activity).trim();
  return [
    `${paint.cyan('▸')} ${name}`,
    DOING[slot.phase],
    formatElapsed(now - slot.since),
    paint.dim(activity),
  ];
}
