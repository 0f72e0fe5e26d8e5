import type { Outcome } from '../../../domain/batch/attempt.js';
import type { BatchRun } from '../../../domain/batch/batch-run.js';
import { html, type Markup } from './markup.js';
import { OUTCOME_SIGNS, OUTCOME_WORDS, OUTCOMES_SHOWN, outcomeBadge } from './outcome-style.js';
import { formatWhole } from './report-amounts.js';

const WIDTH = 1000;
const HEIGHT = 34;
/** A part that is narrower has no room for its number. */
const LABELLED_WIDTH = 24;

interface Share {
  readonly outcome: Outcome;
  readonly count: number;
}

/** All attempts as one bar, divided by the share of each outcome. */
export function outcomeBar({ attempts }: BatchRun): Markup {
  const shares = OUTCOMES_SHOWN.map(outcome => ({
    outcome,
    count: attempts.filter(attempt => attempt.outcome === outcome).length,
  })).filter(({ count }) => count > 0);
  const label = shares.map(({ outcome, count }) => `${count} ${OUTCOME_WORDS[outcome]}`).join(', ');
  return html`
    <section><h2>Outcomes</h2>
      <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${label || 'no attempts'}">
        ${drawShares(shares, attempts.length)}
      </svg>
      <ul class="legend">${shares.map(legend)}</ul>
    </section>`;
}

function drawShares(shares: readonly Share[], total: number): readonly Markup[] {
  let before = 0;
  return shares.map(({ outcome, count }) => {
    const [x, width] = [(before / total) * WIDTH, (count / total) * WIDTH];
    before += count;
    const text = html`<text class="on" x="${(x + 8).toFixed(1)}" y="22">${OUTCOME_SIGNS[outcome]} ${count}</text>`;
    return html`
      <rect class="o-${outcome}" x="${x.toFixed(1)}" y="0" width="${width.toFixed(1)}" height="${HEIGHT}">
        <title>${count} ${OUTCOME_WORDS[outcome]}</title>
      </rect>
      ${width > LABELLED_WIDTH && text}`;
  });
}

const legend = ({ outcome, count }: Share) =>
  html`<li>${outcomeBadge(outcome)} <b>${formatWhole(count)}</b></li>`;
