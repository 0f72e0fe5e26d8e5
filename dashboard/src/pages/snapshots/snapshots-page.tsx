import { useMemo, useState } from 'react';
import type { CarrelEvent } from '../../../../src/domain/event.js';
import type { Snapshot } from '../../../../src/domain/snapshot/snapshot.js';
import { FilterField, useFilter } from '../../components/field/filter-field.js';
import { AnswerView } from '../../components/page/answer-view.js';
import { EmptyState } from '../../components/page/empty-state.js';
import { PageHead } from '../../components/page/page-head.js';
import { DataTable } from '../../components/table/data-table.js';
import { countOf } from '../../components/text/amounts.js';
import { Command } from '../../components/text/command.js';
import { useAnswer } from '../../server/use-answer.js';
import { RestoreDialog } from './restore-dialog.js';
import { snapshotColumns } from './snapshot-columns.js';

export function SnapshotsPage() {
  const answer = useAnswer({
    key: 'snapshots',
    load: (client, signal) => client.snapshots.list({ signal }),
    changesWith: isAboutSnapshots,
  });
  return (
    <>
      <PageHead
        title="Snapshots"
        note="The complete content of workspaces, saved before they were removed or changed."
      />
      <AnswerView answer={answer}>{snapshots => <Snapshots snapshots={snapshots} />}</AnswerView>
    </>
  );
}

const isAboutSnapshots = ({ type }: CarrelEvent): boolean => type.startsWith('snapshot.');

function Snapshots({ snapshots }: { readonly snapshots: readonly Snapshot[] }) {
  const [chosen, setChosen] = useState<Snapshot>();
  const columns = useMemo(() => snapshotColumns(setChosen), []);
  const found = useFilter(snapshots, searchText);
  if (snapshots.length === 0)
    return (
      <EmptyState title="There are no snapshots">
        Carrel takes one whenever a workspace is removed. To take one now:{' '}
        <Command text="carrel snapshot NAME" />
      </EmptyState>
    );
  return (
    <>
      <FilterField label="Filter snapshots" found={countOf(found.length, 'snapshot')} />
      <DataTable
        caption="Snapshots"
        rows={found}
        columns={columns}
        keyOf={({ id }) => id}
        sortedBy="-created"
      />
      {chosen && <RestoreDialog snapshot={chosen} onClose={() => setChosen(undefined)} />}
    </>
  );
}

const searchText = (snapshot: Snapshot): string =>
  [
    snapshot.workspaceName,
    snapshot.id,
    snapshot.repository,
    snapshot.branch,
    snapshot.reason,
    snapshot.message,
  ].join(' ');
