import type { Attempt } from '../../../domain/batch/attempt.js';
import type { BatchRun } from '../../../domain/batch/batch-run.js';
import { attemptsByTask } from '../comparison/task-cells.js';
import { anchorOf } from './anchor.js';
import { html, type Markup } from './markup.js';
import { OUTCOME_SIGNS, OUTCOME_WORDS } from './outcome-style.js';

/** Tasks as rows, attempts as columns; each symbol links to its details. */
export function matrix(run: BatchRun): Markup {
  const numbers = Array.from({ length: run.attemptsPerTask }, (_, index) => index + 1);
  const byTask = attemptsByTask(run.attempts);
  const rows = run.taskIds.map(taskId => row(taskId, numbers, byTask.get(taskId) ?? []));
  const headings = numbers.map(number => html`<th scope="col">${number}</th>`);
  return html`
    <section><h2>Tasks and attempts</h2><div class="matrix">
      <table><thead><tr><th scope="col">Task</th>${headings}</tr></thead><tbody>${rows}</tbody></table>
    </div></section>`;
}

function row(taskId: string, numbers: readonly number[], attempts: readonly Attempt[]): Markup {
  const cells = numbers.map(number => cell(attempts.find(({ attempt }) => attempt === number)));
  return html`<tr><th scope="row">${taskId}</th>${cells}</tr>`;
}

function cell(attempt: Attempt | undefined): Markup {
  if (attempt === undefined)
    return html`<td><span class="none" role="img" aria-label="not run">·</span></td>`;
  const { outcome, taskId, attempt: number } = attempt;
  const words = OUTCOME_WORDS[outcome];
  const label = `${taskId}, attempt ${number}: ${words}`;
  const link = `#${anchorOf(attempt)}`;
  return html`
    <td>
      <a class="sign o-${outcome}" href="${link}" aria-label="${label}" title="${words}">${OUTCOME_SIGNS[outcome]}</a>
    </td>`;
}
