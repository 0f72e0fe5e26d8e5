import type { Attempt, Grade } from '../../../domain/batch/attempt.js';
import type { BatchRun } from '../../../domain/batch/batch-run.js';
import { totalOf } from '../../../domain/batch/outcome-rules.js';
import { countOf } from '../count-of.js';
import { readRunFile } from '../run-file.js';
import { anchorOf } from './anchor.js';
import { html, type Markup } from './markup.js';
import { outcomeBadge } from './outcome-style.js';
import { formatTime, formatUsd, formatWhole } from './report-amounts.js';
import type { TextBudget } from './text-budget.js';

/** The maximum number of grades and findings shown per attempt. */
const MOST_LISTED = 12;

/** One attempt: a line of figures, and details to expand. */
export async function attemptDetails(run: BatchRun, attempt: Attempt, budget: TextBudget): Promise<Markup> {
  const { findings, outcome } = attempt;
  const classes = `attempt t-${totalOf(outcome)}${findings.length > 0 ? ' has-findings' : ''}`;
  const title = budget.take(attempt.message?.trim().split('\n', 1)[0] || 'Details', 200);
  return html`
    <tbody class="${classes}" id="${anchorOf(attempt)}">
      <tr>${figures(attempt)}</tr>
      <tr><td colspan="8" class="more"><details>
        <summary>${title}</summary>
        ${message(attempt, budget)}
        ${findingsList(attempt, budget)}
        ${gradeTable(attempt, budget)}
        ${await patchText(run, attempt, budget)}
        ${await logText(run, attempt, budget)}
      </details></td></tr>
    </tbody>`;
}

function figures({ taskId, attempt, outcome, score, timings, durationMs, costUsd, usage }: Attempt): Markup {
  const number = (text: string | number) => html`<td class="number">${text}</td>`;
  return html`
    <th scope="row">${taskId}</th>
    ${number(attempt)}
    <td>${outcomeBadge(outcome)}</td>
    ${number(Number(score.toFixed(2)))}
    ${number(formatTime(timings.agentMs))}
    ${number(formatTime(durationMs))}
    ${number(formatUsd(costUsd))}
    ${number(formatWhole(usage.inputTokens + usage.outputTokens))}`;
}

function message({ message, exitCode, retries, worktreePath }: Attempt, budget: TextBudget): Markup {
  const text = message?.trim() ?? '';
  const facts = [
    exitCode !== null && `exit status ${exitCode}`,
    retries > 0 && `retried after ${countOf(retries, 'infrastructure failure')}`,
    worktreePath !== null && `files kept in ${worktreePath.slice(0, 500)}`,
  ].filter(fact => fact !== false);
  return html`
    ${facts.length > 0 && html`<p class="faint">${facts.join(', ')}</p>`}
    ${text.includes('\n') && html`<pre>${budget.take(text, 1000)}</pre>`}`;
}

function findingsList({ findings }: Attempt, budget: TextBudget): Markup {
  if (findings.length === 0) return html``;
  const items = listed(findings, budget, finding => html`<li>${budget.take(finding, 300)}</li>`);
  return html`<h3>Findings</h3><ul>${items}</ul>${tellMore(findings.length - items.length)}`;
}

function gradeTable({ graders }: Attempt, budget: TextBudget): Markup {
  if (graders.length === 0) return html``;
  const rows = listed(graders, budget, grade => gradeRow(grade, budget));
  return html`
    <h3>Grades</h3>
    <table><thead><tr>
      <th scope="col">Grader</th>
      <th scope="col" class="number">Score</th>
      <th scope="col" class="number">Weight</th>
      <th scope="col">Result</th>
    </tr></thead><tbody>${rows}</tbody></table>
    ${tellMore(graders.length - rows.length)}`;
}

function gradeRow({ name, passed, score, weight, detail, error }: Grade, budget: TextBudget): Markup {
  const sign = error === null ? (passed ? 'passed' : 'failed') : 'grader-error';
  return html`
    <tr>
      <th scope="row">${outcomeBadge(sign)} ${budget.take(name, 100)}</th>
      <td class="number">${Number(score.toFixed(2))}</td>
      <td class="number">${weight}</td>
      <td>${budget.take(error ?? detail ?? '', 600)}</td>
    </tr>`;
}

/** The first ones that fit. */
function listed<Item>(
  items: readonly Item[],
  budget: TextBudget,
  show: (item: Item) => Markup,
): readonly Markup[] {
  return items.slice(0, MOST_LISTED).flatMap(item => (budget.left > 0 ? [show(item)] : []));
}

const tellMore = (count: number) => count > 0 && html`<p class="faint">${count} more</p>`;

async function patchText(run: BatchRun, { patchPath }: Attempt, budget: TextBudget): Promise<Markup> {
  if (patchPath === null) return html``;
  return fileText('Patch', run, patchPath, 'start', Math.floor(budget.left / 2), budget);
}

async function logText(run: BatchRun, { logPath }: Attempt, budget: TextBudget): Promise<Markup> {
  return fileText('End of the log', run, logPath, 'end', budget.left, budget);
}

async function fileText(
  title: string,
  { directory }: BatchRun,
  path: string,
  from: 'start' | 'end',
  most: number,
  budget: TextBudget,
): Promise<Markup> {
  const file = await readRunFile(directory, path, { most: Math.max(0, most), from });
  if (file === undefined || file.size === 0) return html``;
  const text = budget.take(file.bytes.toString(), most, from);
  const whole = file.size > file.bytes.length && `, ${formatWhole(file.size)} bytes in total`;
  return html`
    <details>
      <summary>${title} <span class="faint">${path.slice(0, 300)}${whole}</span></summary>
      <pre>${text}</pre>
    </details>`;
}
