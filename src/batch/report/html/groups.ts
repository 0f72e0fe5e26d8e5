import type { Attempt } from '../../../domain/batch/attempt.js';
import type { BatchRun, TaskLabels } from '../../../domain/batch/batch-run.js';
import { isGraded } from '../../../domain/batch/outcome-rules.js';
import { html, type Markup } from './markup.js';
import { formatRate } from './report-amounts.js';

/** The maximum number of groups of one kind; the most frequent are shown. */
const MOST_GROUPS = 30;

interface Group {
  readonly name: string;
  readonly passed: number;
  readonly judged: number;
}

/** Pass rates by the labels of the dataset; nothing when it has none. */
export function groups(run: BatchRun): Markup {
  const tables = [
    table(run, 'Language', ({ language }) => language ?? []),
    table(run, 'Difficulty', ({ difficulty }) => difficulty ?? []),
    table(run, 'Tag', ({ tags }) => tags),
  ].filter(part => part !== null);
  if (tables.length === 0) return html``;
  return html`<section><h2>Pass rate by kind of task</h2><div class="charts">${tables}</div></section>`;
}

function table(
  run: BatchRun,
  kind: string,
  namesOf: (labels: TaskLabels) => string | readonly string[],
): Markup | null {
  const found = countGroups(run, namesOf);
  if (found.length === 0) return null;
  const rows = found.map(
    ({ name, passed, judged }) =>
      html`
      <tr>
        <th scope="row">${name.slice(0, 100)}</th>
        <td class="number">${passed} of ${judged}</td>
        <td class="number">${formatRate(passed / judged)}</td>
        <td>${bar(passed / judged)}</td>
      </tr>`,
  );
  return html`
    <table><thead><tr>
      <th scope="col">${kind}</th>
      <th scope="col" class="number">Passed</th>
      <th scope="col" class="number">Rate</th>
      <td></td>
    </tr></thead><tbody>${rows}</tbody></table>`;
}

function countGroups(
  { attempts, labels }: BatchRun,
  namesOf: (labels: TaskLabels) => string | readonly string[],
): readonly Group[] {
  const counts = new Map<string, Group>();
  const add = (name: string, { outcome }: Attempt) => {
    const { passed, judged } = counts.get(name) ?? { passed: 0, judged: 0 };
    counts.set(name, { name, passed: passed + Number(outcome === 'passed'), judged: judged + 1 });
  };
  for (const attempt of attempts.filter(({ outcome }) => isGraded(outcome))) {
    const own = labels[attempt.taskId];
    for (const name of new Set(own === undefined ? [] : [namesOf(own)].flat())) add(name, attempt);
  }
  return [...counts.values()].sort((a, b) => b.judged - a.judged).slice(0, MOST_GROUPS);
}

const bar = (rate: number): Markup =>
  html`
  <svg viewBox="0 0 100 12" aria-hidden="true">
    <rect class="track" width="100" height="12" rx="2"/>
    <rect class="o-passed" width="${(rate * 100).toFixed(1)}" height="12" rx="2"/>
  </svg>`;
