import type { BatchRun } from '../../../domain/batch/batch-run.js';
import { isSpentElsewhere } from '../../../domain/batch/retry-cost.js';
import { countOf } from '../count-of.js';
import { passRateInterval } from '../statistics/pass-rate-interval.js';
import { median, percentile } from '../statistics/percentile.js';
import { html, type Markup } from './markup.js';
import { formatRate, formatTime, formatUsd, formatWhole } from './report-amounts.js';

/** The top of the page: what was run, the main figures, and warnings about them. */
export function summary(run: BatchRun): Markup {
  const begun = run.createdAt.slice(0, 16).replace('T', ' ');
  return html`
    <header>
      <h1>${clip(run.dataset)} by ${clip(run.agent)}</h1>
      <p class="faint">${run.id}, ${begun} UTC</p>
    </header>
    <section aria-label="Summary">
      ${warnings(run)}
      <ul class="tiles">${tiles(run)}</ul>
      <details><summary>About this run</summary><dl>${facts(run)}</dl></details>
    </section>`;
}

const clip = (text: string) => (text.length > 300 ? `${text.slice(0, 300)}…` : text);

function warnings(run: BatchRun): readonly Markup[] {
  const found = run.attempts.filter(({ findings }) => findings.length > 0).length;
  const missing = run.taskIds.length * run.attemptsPerTask - run.attempts.length;
  const texts = [
    run.status !== 'finished' &&
      missing > 0 &&
      `This run is ${run.status}: ${countOf(missing, 'attempt')} missing.`,
    run.totals.errors > 0 &&
      `${countOf(run.totals.errors, 'attempt')} could not be graded and are not counted.`,
    found > 0 && `${countOf(found, 'attempt')} with findings: read them before you trust the figures.`,
    run.skipped.length > 0 &&
      `${countOf(run.skipped.length, 'task')} of the dataset could not run: ${listSkipped(run)}`,
  ];
  return texts.flatMap(text => (text === false ? [] : [html`<p class="warning">${text}</p>`]));
}

function listSkipped({ skipped }: BatchRun): string {
  const some = skipped.slice(0, 20).map(({ id, reason }) => `${clip(id)} (${clip(reason)})`);
  return some.join(', ') + (skipped.length > some.length ? ' …' : '');
}

function tiles(run: BatchRun): readonly Markup[] {
  const { passed, failed } = run.totals;
  const interval = passRateInterval(run);
  const agentMs = run.attempts.map(({ timings }) => timings.agentMs);
  const costs = run.attempts.flatMap(({ costUsd }) => costUsd ?? []);
  const asked = run.taskIds.length * run.attemptsPerTask;
  return [
    tile(
      formatRate(run.passRate),
      `passed of ${formatWhole(passed + failed)} graded`,
      interval && `95% interval ${formatRate(interval.low)} to ${formatRate(interval.high)}`,
    ),
    tile(formatRate(run.passRateOfAll), `passed of ${formatWhole(asked)} requested`),
    ...(run.attemptsPerTask > 1 ? Object.entries(run.passAtK).slice(0, 10) : []).map(([k, rate]) =>
      tile(formatRate(rate), `pass@${k}`, `probability that at least one of ${k} attempts passes`),
    ),
    tile(formatUsd(run.costUsd), 'cost', costs.length > 0 && describeCosts(run, costs)),
    tile(formatTime(run.durationMs), `total time, ${run.parallelism} at a time`),
    tile(
      formatTime(median(agentMs) ?? 0),
      'median agent time',
      `90% within ${formatTime(percentile(agentMs, 0.9) ?? 0)}`,
    ),
  ];
}

function describeCosts({ costUsd, spentUsd }: BatchRun, costs: readonly number[]): string {
  const inAll = isSpentElsewhere({ costUsd, spentUsd }) ? `, ${formatUsd(spentUsd)} spent in total` : '';
  return `median ${formatUsd(median(costs))} per attempt${inAll}`;
}

const tile = (figure: string, label: string, note: string | null | false = null): Markup =>
  html`<li><b>${figure}</b>${label}${note && html`<br><span class="faint">${note}</span>`}</li>`;

function facts(run: BatchRun): readonly Markup[] {
  const settings: Readonly<Record<string, string | number | null>> = {
    dataset: run.dataset,
    agent: run.agent,
    model: run.model,
    isolation: run.isolation,
    tasks: run.taskIds.length,
    'attempts per task': run.attemptsPerTask,
    status: run.status,
    'cost limit': run.costLimitUsd === null ? null : formatUsd(run.costLimitUsd),
    'time limit': run.timeoutMs === null ? null : formatTime(run.timeoutMs),
    gate: run.gate,
    'shuffle seed': run.seed,
    directory: run.directory,
    ...run.environment,
  };
  return Object.entries(settings).flatMap(([name, value]) =>
    value === null ? [] : [html`<dt>${clip(name)}</dt><dd>${clip(String(value))}</dd>`],
  );
}
