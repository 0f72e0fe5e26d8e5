import { Badge, type Tone } from '../../components/status/badge.js';
import type { Column } from '../../components/table/column.js';
import { Age } from '../../components/text/age.js';
import { formatCost } from '../../components/text/amounts.js';
import type { Run } from './fleet-status.js';

const TONES: Readonly<Record<Run['state'], Tone>> = {
  running: 'accent',
  finished: 'good',
  cancelled: 'warning',
};

export const RUN_COLUMNS: readonly Column<Run>[] = [
  { key: 'run-run', title: 'Run', cell: ({ run }) => run, sortBy: ({ run }) => run },
  {
    key: 'run-state',
    title: 'State',
    cell: ({ state }) => <Badge tone={TONES[state]}>{state}</Badge>,
    sortBy: ({ state }) => state,
  },
  {
    key: 'run-done',
    title: 'Done',
    alignsEnd: true,
    cell: run => `${run.jobs.done} of ${countJobs(run)}`,
    sortBy: run => run.jobs.done / Math.max(1, countJobs(run)),
  },
  {
    key: 'run-running',
    title: 'Running',
    needs: 'medium',
    alignsEnd: true,
    cell: ({ jobs }) => String(jobs.claimed),
    sortBy: ({ jobs }) => jobs.claimed,
  },
  {
    key: 'run-waiting',
    title: 'Waiting',
    needs: 'medium',
    alignsEnd: true,
    cell: ({ jobs }) => String(jobs.waiting + jobs.open),
    sortBy: ({ jobs }) => jobs.waiting + jobs.open,
  },
  {
    key: 'run-rate',
    title: 'Per minute',
    needs: 'medium',
    alignsEnd: true,
    cell: ({ resultsPerMinute }) => (resultsPerMinute === null ? '' : formatRate(resultsPerMinute)),
    sortBy: ({ resultsPerMinute }) => resultsPerMinute,
  },
  {
    key: 'run-cost',
    title: 'Cost',
    alignsEnd: true,
    cell: run => <Spending run={run} />,
    sortBy: ({ spentUsd }) => spentUsd,
  },
  {
    key: 'run-submitted',
    title: 'Submitted',
    needs: 'medium',
    alignsEnd: true,
    cell: ({ submittedAt }) => <Age at={new Date(submittedAt).toISOString()} />,
    sortBy: ({ submittedAt }) => submittedAt,
  },
];

const countJobs = ({ jobs }: Run): number => Object.values(jobs).reduce((sum, count) => sum + count, 0);

const formatRate = (rate: number): string =>
  rate < 10 ? rate.toFixed(1) : Math.round(rate).toLocaleString('en');

/** $1.20 of $5.00 */
const Spending = ({ run: { spentUsd, costLimitUsd } }: { readonly run: Run }) => (
  <>
    {formatCost(spentUsd)}
    {costLimitUsd !== null && <span className="needs-medium"> of {formatCost(costLimitUsd)}</span>}
  </>
);
