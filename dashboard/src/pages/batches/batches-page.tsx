import { useState } from 'react';
import type { BatchSummary } from '../../../../src/domain/batch/batch-summary.js';
import { FilterField, useFilter } from '../../components/field/filter-field.js';
import { AnswerView } from '../../components/page/answer-view.js';
import { EmptyState } from '../../components/page/empty-state.js';
import { PageHead } from '../../components/page/page-head.js';
import { DataTable } from '../../components/table/data-table.js';
import { countOf } from '../../components/text/amounts.js';
import { Command } from '../../components/text/command.js';
import { useAnswer } from '../../server/use-answer.js';
import { BATCH_COLUMNS } from './batch-columns.js';
import { CompareButton } from './compare-choice.js';
import { NewBatchDialog } from './new-batch-dialog.js';

/** Batches send no events. */
const EVERY_MS = 3_000;

export function BatchesPage() {
  const answer = useAnswer({
    key: 'batches',
    load: (client, signal) => client.batches.list({ signal }),
    everyMs: EVERY_MS,
  });
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <PageHead title="Batches">
        <CompareButton />
        <button type="button" className="primary" onClick={() => setAsking(true)}>
          New batch…
        </button>
      </PageHead>
      <AnswerView answer={answer}>{batches => <Batches batches={batches} />}</AnswerView>
      {isAsking && <NewBatchDialog onClose={() => setAsking(false)} />}
    </>
  );
}

function Batches({ batches }: { readonly batches: readonly BatchSummary[] }) {
  const found = useFilter(batches, searchText);
  if (batches.length === 0)
    return (
      <EmptyState title="There are no batches yet">
        Let an agent work through a data set:{' '}
        <Command text="carrel eval run --dataset golden --agent oracle" />
      </EmptyState>
    );
  const all = countOf(batches.length, 'run');
  return (
    <>
      <FilterField
        label="Filter batches"
        found={found.length === batches.length ? all : `${found.length} of ${all}`}
      />
      <DataTable
        caption="Batches"
        rows={found}
        columns={BATCH_COLUMNS}
        keyOf={({ id }) => id}
        hrefOf={({ id }) => `/batches/${id}`}
        sortedBy="-created"
      />
    </>
  );
}

const searchText = ({ id, dataset, agent, model, status, isolation }: BatchSummary): string =>
  [id, dataset, agent, model, status, isolation].join(' ');
