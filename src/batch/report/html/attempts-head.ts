import type { BatchRun } from '../../../domain/batch/batch-run.js';
import { html, type Markup } from './markup.js';

/** The heading above the details of all attempts. The filters use only CSS; old browsers show everything. */
export function attemptsHead({ attempts }: BatchRun): Markup {
  return html`
    <section><h2>Attempts</h2>
    ${attempts.length > 1 && filters}
    <table><thead><tr>
      <th scope="col">Task</th>
      <th scope="col" class="number">Attempt</th>
      <th scope="col">Outcome</th>
      <th scope="col" class="number">Score</th>
      <th scope="col" class="number">Agent</th>
      <th scope="col" class="number">Total</th>
      <th scope="col" class="number">Cost</th>
      <th scope="col" class="number">Tokens</th>
    </tr></thead>`;
}

const filter = (id: string, label: string, checked = false): Markup =>
  html`<label><input type="radio" name="only" id="${id}"${checked && html` checked`}> ${label}</label>`;

const filters = html`
  <fieldset class="filters"><legend>Show</legend>
    ${filter('only-all', 'all', true)}
    ${filter('only-passed', 'passed')}
    ${filter('only-failed', 'not passed')}
    ${filter('only-errors', 'not judged')}
    ${filter('only-findings', 'with findings')}
  </fieldset>`;
