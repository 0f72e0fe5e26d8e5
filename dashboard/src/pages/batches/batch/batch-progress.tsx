import type { BatchRun } from '../../../../../src/domain/batch/batch-run.js';
import { OutcomeLegend } from '../../../components/matrix/outcome-legend.js';
import { Gauge } from '../../../components/status/gauge.js';
import { formatShare } from '../../../components/text/amounts.js';

/** The progress and the results so far. */
export function BatchProgress({ run }: { readonly run: BatchRun }) {
  const { totals, attempts, passRate } = run;
  const planned = run.taskIds.length * run.attemptsPerTask;
  return (
    <section className="card" aria-labelledby="progress">
      <h2 id="progress">
        {passRate === null ? 'Nothing graded yet' : `${formatShare(passRate)} passed`}
        <span className="minor">
          {' '}
          · {attempts.length} of {planned} attempts done
        </span>
      </h2>
      <Gauge
        label="Attempts"
        total={planned}
        parts={[
          { name: 'passed', amount: totals.passed, tone: 'good' },
          { name: 'failed', amount: totals.failed, tone: 'bad' },
          { name: 'not graded', amount: totals.errors, tone: 'warning' },
          { name: 'cancelled', amount: totals.cancelled, tone: 'neutral' },
        ]}
      />
      <OutcomeLegend outcomes={attempts.map(({ outcome }) => outcome)} planned={planned} />
    </section>
  );
}
