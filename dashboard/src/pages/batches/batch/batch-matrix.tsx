import { useMemo } from 'react';
import type { BatchRun } from '../../../../../src/domain/batch/batch-run.js';
import { useFilter } from '../../../components/field/filter-field.js';
import { DataTable } from '../../../components/table/data-table.js';
import { attemptAddress } from '../attempt-address.js';
import { matrixColumns } from './matrix-columns.js';
import { MatrixFilter, useMatrixWish } from './matrix-filter.js';
import { type MatrixRow, matrixRows } from './matrix-rows.js';

/** Tasks by attempts, with the outcome of each. */
export function BatchMatrix({ run }: { readonly run: BatchRun }) {
  const rows = useMemo(() => matrixRows(run), [run]);
  const columns = useMemo(() => matrixColumns(run.id, run.attemptsPerTask), [run.id, run.attemptsPerTask]);
  const matches = useMatrixWish();
  const found = useFilter(rows.filter(matches), searchText);
  return (
    <section className="card matrix" aria-labelledby="matrix">
      <h2 id="matrix">Tasks and attempts</h2>
      <MatrixFilter rows={rows} found={found.length} />
      <DataTable
        caption="Tasks by attempts"
        rows={found}
        columns={columns}
        keyOf={({ taskId }) => taskId}
        hrefOf={({ taskId }) => attemptAddress(run.id, taskId, 1)}
        sortedBy="order"
      />
    </section>
  );
}

const searchText = ({ taskId, language, difficulty, tags, attempts }: MatrixRow): string =>
  [taskId, language, difficulty, ...tags, ...attempts.map(attempt => attempt?.message)].join(' ');
