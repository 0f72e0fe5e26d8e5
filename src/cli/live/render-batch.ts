import type { BatchProgress, SlotState } from '../../batch/observer.js';
import type { BatchPlan } from '../../domain/batch-run.js';
import { cleanLine } from '../clean-line.js';
import { alignColumns } from '../columns.js';
import { cutToWidth } from '../display-width.js';
import type { Paint } from '../output.js';
import { formatCost, formatElapsed } from '../views/amounts.js';

export interface BatchFrame {
  readonly width: number;
  readonly now: number;
  readonly paint: Paint;
}

const BAR_WIDTH = 24;

/** A bar with what is done and when the rest will be, and a line for each attempt that runs. */
export function renderBatch(progress: BatchProgress, plan: BatchPlan, frame: BatchFrame): string[] {
  const slots = alignColumns(progress.slots.map(slot => formatSlot(slot, plan, frame)));
  return [headline(progress, frame), ...slots.map(line => `  ${line}`)].map(line =>
    cutToWidth(line, frame.width),
  );
}

/** `[=====>    ] 12/40  75% passed  $1.20  2m 10s, about 5m left` */
function headline(progress: BatchProgress, { now, paint }: BatchFrame): string {
  const { done, total, totals, costUsd, startedAt, draining } = progress;
  const judged = totals.passed + totals.failed;
  const rate = judged === 0 ? '' : `${Math.round((totals.passed / judged) * 100)}% passed`;
  const parts = [
    `${bar(done, total, paint)} ${done}/${total}`,
    rate,
    totals.errors > 0 ? paint.yellow(`${totals.errors} could not be judged`) : '',
    formatCost(costUsd),
    [formatElapsed(now - startedAt), formatLeft(progress, now)].filter(Boolean).join(', '),
    draining === null ? '' : paint.yellow(`no more begin: ${draining}`),
  ];
  return parts.filter(Boolean).join('  ');
}

function bar(done: number, total: number, paint: Paint): string {
  const filled = total === 0 ? BAR_WIDTH : Math.round((done / total) * BAR_WIDTH);
  return `[${paint.green('='.repeat(filled))}${' '.repeat(BAR_WIDTH - filled)}]`;
}

/** By what was done since the beginning; nothing before the first has ended. */
function formatLeft({ done, total, totals, startedAt }: BatchProgress, now: number): string {
  const begun = totals.passed + totals.failed + totals.errors + totals.cancelled;
  if (begun === 0 || done >= total) return '';
  return `about ${formatElapsed(((now - startedAt) / begun) * (total - done))} left`;
}

function formatSlot(slot: SlotState, { attempts }: BatchPlan, { now, paint }: BatchFrame): string[] {
  const name = attempts > 1 ? `${slot.taskId} #${slot.attempt}` : slot.taskId;
  const activity = slot.activity === undefined ? '' : cleanLine(slot.activity);
  return [paint.cyan('▸'), name, slot.phase, formatElapsed(now - slot.since), paint.dim(activity)];
}
