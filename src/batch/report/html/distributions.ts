import type { BatchRun } from '../../../domain/batch-run.js';
import { formatTime, formatUsd } from './amounts.js';
import { histogram } from './histogram.js';
import { html, type Markup } from './markup.js';

/** How long agents took and what they cost, as far as they tell. */
export function distributions({ attempts }: BatchRun): Markup {
  const times = attempts.map(({ timings }) => timings.agentMs);
  const costs = attempts.flatMap(({ costUsd }) => costUsd ?? []);
  if (times.length === 0) return html``;
  return html`
    <section><h2>Time and cost</h2><div class="charts">
      ${histogram('Time of the agent', times, formatTime)}
      ${costs.length > 0 && histogram('Cost of an attempt', costs, formatUsd)}
    </div></section>`;
}
