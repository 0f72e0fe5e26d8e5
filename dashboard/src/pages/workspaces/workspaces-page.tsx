import { useState } from 'react';
import type { WorkspaceDetails } from '../../../../src/domain/workspace/workspace.js';
import { FilterField, useFilter } from '../../components/field/filter-field.js';
import { AnswerView } from '../../components/page/answer-view.js';
import { EmptyState } from '../../components/page/empty-state.js';
import { PageHead } from '../../components/page/page-head.js';
import { DataTable } from '../../components/table/data-table.js';
import { countOf } from '../../components/text/amounts.js';
import { Command } from '../../components/text/command.js';
import { useNewKey } from '../../shell/use-new-key.js';
import { NewWorkspaceDialog } from './new-workspace-dialog.js';
import { useWorkspaces } from './use-workspaces.js';
import { WORKSPACE_COLUMNS } from './workspace-columns.js';

export function WorkspacesPage() {
  const answer = useWorkspaces();
  const [isAsking, setAsking] = useState(false);
  const ask = () => setAsking(true);
  useNewKey(ask);
  return (
    <>
      <PageHead title="Workspaces">
        <button type="button" className="primary" aria-keyshortcuts="n" onClick={ask}>
          New workspace…
        </button>
      </PageHead>
      <AnswerView answer={answer}>{workspaces => <Workspaces workspaces={workspaces} />}</AnswerView>
      {isAsking && <NewWorkspaceDialog onClose={() => setAsking(false)} />}
    </>
  );
}

function Workspaces({ workspaces }: { readonly workspaces: readonly WorkspaceDetails[] }) {
  const found = useFilter(workspaces, searchText);
  if (workspaces.length === 0)
    return (
      <EmptyState title="There are no workspaces yet">
        Create one in a repository: <Command text="carrel up NAME" />
      </EmptyState>
    );
  return (
    <>
      <FilterField label="Filter workspaces" found={foundText(found.length, workspaces.length)} />
      <DataTable
        caption="Workspaces"
        rows={found}
        columns={WORKSPACE_COLUMNS}
        keyOf={({ id }) => id}
        hrefOf={({ id }) => `/workspaces/${id}`}
        sortedBy="-activity"
      />
    </>
  );
}

const foundText = (found: number, all: number): string =>
  found === all ? countOf(all, 'workspace') : `${found} of ${countOf(all, 'workspace')}`;

const searchText = (workspace: WorkspaceDetails): string =>
  [
    workspace.name,
    workspace.id,
    workspace.repository,
    workspace.branch,
    workspace.status,
    workspace.backend,
    workspace.isolation.effective,
    workspace.lease?.holder,
  ].join(' ');
