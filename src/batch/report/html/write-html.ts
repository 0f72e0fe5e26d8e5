import { createHash } from 'node:crypto';
import type { BatchRun } from '../../../domain/batch-run.js';
import { inOrder } from '../in-order.js';
import type { Write } from '../write.js';
import { attemptDetails } from './attempt-details.js';
import { attemptsHead } from './attempts-head.js';
import { distributions } from './distributions.js';
import { groups } from './groups.js';
import { html, type Markup } from './markup.js';
import { matrix } from './matrix.js';
import { outcomeBar } from './outcome-bar.js';
import { STYLES } from './styles.js';
import { summary } from './summary.js';
import { createTextBudget } from './text-budget.js';

/** What agents, graders and logs may fill in the whole page, and for one attempt. */
const TEXT_OF_ALL = 3_000_000;
const TEXT_OF_ONE = 32 * 1024;

/**
 * A run as one page that needs nothing else: no script, no request, from a file or from a server. Everything that an
 * agent could have written is escaped by `html`, and the page's policy would stop what got through.
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

/** A hash instead of `unsafe-inline`: it lets in this block of styles, and no other and no `style` attribute. */
export function reportPolicy(): string {
  const hash = createHash('sha256').update(STYLES).digest('base64');
  return `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
}
