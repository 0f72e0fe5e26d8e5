import { createHash } from 'node:crypto';
import type { BatchRun } from '../../../domain/batch/batch-run.js';
import { inOrder } from '../order-attempts.js';
import type { Write } from '../text-writer.js';
import { attemptDetails } from './attempt-details.js';
import { attemptsHead } from './attempts-head.js';
import { groups } from './groups.js';
import { histogram } from './histogram.js';
import { html, type Markup } from './markup.js';
import { matrix } from './matrix.js';
import { outcomeBar } from './outcome-bar.js';
import { formatTime, formatUsd } from './report-amounts.js';
import { STYLES } from './report-styles.js';
import { summary } from './summary.js';
import { createTextBudget } from './text-budget.js';

/** Size limits of text from agents, graders and logs: for the whole page, and per attempt. */
const TEXT_OF_ALL = 3_000_000;
const TEXT_OF_ONE = 32 * 1024;

/**
 * A run as one self-contained page: no script, no request, from a file or from a server. Everything that an
 * agent could have written is escaped by `html`, and the page's content security policy blocks the rest.
 */
export async function writeHtml(run: BatchRun, write: Write): Promise<readonly string[]> {
  const put = async ({ markup }: Markup) => write(`${markup}\n`);
  const budget = Math.min(TEXT_OF_ONE, Math.floor(TEXT_OF_ALL / Math.max(1, run.attempts.length)));
  await write('<!DOCTYPE html>\n');
  await put(html`<html lang="en">${head(run)}<body>`);
  for (const section of [summary, outcomeBar, matrix, groups, distributions, attemptsHead])
    await put(section(run));
  for (const attempt of inOrder(run)) await put(await attemptDetails(run, attempt, createTextBudget(budget)));
  await put(html`</table></section></body></html>`);
  return [];
}

function head({ dataset, agent }: BatchRun): Markup {
  return html`
    <head>
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="${reportPolicy()}">
      <meta name="viewport" content="width=device-width,initial-scale=1">
      <meta name="referrer" content="no-referrer">
      <title>${dataset.slice(0, 200)} by ${agent.slice(0, 200)}</title>
      <style>${styles}</style>
    </head>`;
}

const styles: Markup = { markup: STYLES };

/** A hash instead of `unsafe-inline`: it allows this block of styles, but no other and no `style` attribute. */
export function reportPolicy(): string {
  const hash = createHash('sha256').update(STYLES).digest('base64');
  return `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
}

/** How long agents took and what they reported as cost. */
function distributions({ attempts }: BatchRun): Markup {
  const times = attempts.map(({ timings }) => timings.agentMs);
  const costs = attempts.flatMap(({ costUsd }) => costUsd ?? []);
  if (times.length === 0) return html``;
  return html`
    <section><h2>Time and cost</h2><div class="charts">
      ${histogram('Time of the agent', times, formatTime)}
      ${costs.length > 0 && histogram('Cost of an attempt', costs, formatUsd)}
    </div></section>`;
}
