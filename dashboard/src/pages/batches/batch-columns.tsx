import type { BatchSummary } from '../../../../src/domain/batch/batch-summary.js';
import type { Column } from '../../components/table/column.js';
import { Age } from '../../components/text/age.js';
import { formatCost, formatDuration, formatShare, lastPart } from '../../components/text/amounts.js';
import { BatchStatus } from './batch-status.js';
import { CompareChoice } from './compare-choice.js';

export const BATCH_COLUMNS: readonly Column<BatchSummary>[] = [
  {
    key: 'run',
    title: 'Run',
    cell: ({ dataset, agent }) => `${lastPart(dataset)}, ${agent}`,
    sortBy: ({ dataset, agent }) => `${lastPart(dataset)}, ${agent}`,
  },
  {
    key: 'compare',
    title: 'Compare',
    needs: 'medium',
    cell: ({ id, dataset, agent }) => (
      <CompareChoice id={id} name={`${lastPart(dataset)}, ${agent}, ${id}`} />
    ),
  },
  {
    key: 'status',
    title: 'Status',
    cell: ({ status }) => <BatchStatus status={status} />,
    sortBy: ({ status }) => status,
  },
  {
    key: 'rate',
    title: 'Passed',
    alignsEnd: true,
    cell: ({ passRate }) => (passRate === null ? '' : formatShare(passRate)),
    sortBy: ({ passRate }) => passRate,
  },
  {
    key: 'progress',
    title: 'Done',
    needs: 'medium',
    alignsEnd: true,
    cell: ({ done, planned }) => `${done} of ${planned}`,
    sortBy: ({ done, planned }) => done / Math.max(1, planned),
  },
  {
    key: 'model',
    title: 'Model',
    needs: 'wide',
    cell: ({ model }) => model ?? '',
    sortBy: ({ model }) => model,
  },
  {
    key: 'cost',
    title: 'Cost',
    needs: 'medium',
    alignsEnd: true,
    cell: ({ spentUsd }) => (spentUsd === null ? '' : formatCost(spentUsd)),
    sortBy: ({ spentUsd }) => spentUsd,
  },
  {
    key: 'time',
    title: 'Time',
    needs: 'medium',
    alignsEnd: true,
    cell: ({ durationMs }) => formatDuration(durationMs),
    sortBy: ({ durationMs }) => durationMs,
  },
  {
    key: 'created',
    title: 'Created',
    needs: 'medium',
    alignsEnd: true,
    cell: ({ createdAt }) => <Age at={createdAt} />,
    sortBy: ({ createdAt }) => Date.parse(createdAt),
  },
];
