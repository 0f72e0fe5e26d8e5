import type { ComparedRun, Interval, RunPair } from '../../../../../src/domain/batch/comparison.js';
import { formatCost, formatSpan } from '../../../components/text/amounts.js';
import { PlainTable } from './plain-table.js';
import { letterOf, runName } from './run-name.js';

/** Each other run against the baseline: whether the difference is significant. */
export function Pairs({
  pairs,
  runs,
}: {
  readonly pairs: readonly RunPair[];
  readonly runs: readonly ComparedRun[];
}) {
  return (
    <section className="card" aria-labelledby="pairs">
      <h2 id="pairs">Compared with the baseline</h2>
      <PlainTable
        caption="Runs compared with the baseline"
        titles={['Run', 'Difference', '95 % interval', 'p value', 'Tasks', 'Won', 'Lost', 'Cost', 'Time']}
        rows={pairs.map((pair, index) => ({
          key: `${pair.other} ${index}`,
          cells: [
            nameOf(runs[index + 1], index + 1),
            pair.passRateDifference === null ? '' : `${points(pair.passRateDifference)} points`,
            rangeText(pair.passRateDifferenceInterval),
            pair.pValue === null ? '' : `${formatChance(pair.pValue)}, ${chanceText(pair.pValue)}`,
            String(pair.tasks),
            String(pair.onlyOther),
            String(pair.onlyBaseline),
            withSign(pair.medianCostDifferenceUsd, formatCost),
            withSign(pair.medianAgentMsDifference, formatSpan),
          ],
        }))}
      />
    </section>
  );
}

const nameOf = (run: ComparedRun | undefined, index: number): string =>
  `${letterOf(index)} ${run ? runName(run) : ''}`;

const rangeText = (interval: Interval | null): string =>
  interval === null ? '' : `${points(interval.low)} to ${points(interval.high)}`;

/** Of percent. */
function points(share: number): string {
  const rounded = Math.round(100 * share);
  return `${rounded > 0 ? '+' : ''}${rounded}`.replace('-', '−');
}

function withSign(value: number | null, format: (value: number) => string): string {
  if (value === null) return '';
  const amount = format(Math.abs(value));
  // Also what rounds to nothing.
  return amount === format(0) ? '±0' : `${value < 0 ? '−' : '+'}${amount}`;
}

const formatChance = (value: number): string => (value < 0.001 ? 'below 0.001' : value.toFixed(3));
/** The usual significance level. */
const USUAL = 0.05;
const chanceText = (value: number): string => (value < USUAL ? 'significant' : 'may be random');
