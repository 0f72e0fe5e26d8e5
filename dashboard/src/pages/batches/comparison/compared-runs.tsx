import type { ComparedRun } from '../../../../../src/domain/batch/comparison.js';
import { formatCost, formatSpan, lastPart } from '../../../components/text/amounts.js';
import { Link } from '../../../shell/router.js';
import { PlainTable } from './plain-table.js';
import { RateInterval } from './rate-interval.js';
import { letterOf, runName } from './run-name.js';

/** The runs with their rates; the first is the baseline. */
export function ComparedRuns({
  runs,
  makeFirst,
}: {
  readonly runs: readonly ComparedRun[];
  readonly makeFirst: (id: string) => void;
}) {
  return (
    <section className="card" aria-labelledby="runs">
      <h2 id="runs">Runs</h2>
      <PlainTable
        caption="Runs, the baseline first"
        titles={['Run', 'Passed, with 95 % interval', 'Solved', 'Cost', 'Time', 'Baseline']}
        rows={runs.map((run, index) => ({
          key: `${run.id} ${index}`,
          cells: [
            <>
              <strong>{letterOf(index)}</strong> <Link href={`/batches/${run.id}`}>{runName(run)}</Link>{' '}
              <span className="minor">{lastPart(run.dataset)}</span>
            </>,
            <RateInterval key="interval" rate={run.passRate} interval={run.passRateInterval} />,
            `${run.solved} of ${run.tasks}`,
            run.costUsd === null ? '' : formatCost(run.costUsd),
            run.medianAgentMs === null ? '' : formatSpan(run.medianAgentMs),
            index === 0 ? (
              'baseline'
            ) : (
              <button key="first" type="button" className="link" onClick={() => makeFirst(run.id)}>
                Make baseline
              </button>
            ),
          ],
        }))}
      />
    </section>
  );
}
