import type { WorkspaceDetails } from '../../../../src/domain/workspace.js';
import { countOf } from '../../components/amounts.js';
import { AnswerView } from '../../components/answer-view.js';
import { Command } from '../../components/command.js';
import { EmptyState } from '../../components/empty-state.js';
import { FilterField, useFilter } from '../../components/filter-field.js';
import { PageHead } from '../../components/page-head.js';
import { DataTable } from '../../components/table/data-table.js';
import { useWorkspaces } from './use-workspaces.js';
import { WORKSPACE_COLUMNS } from './workspace-columns.js';

export function WorkspacesPage() {
  const answer = useWorkspaces();
  return (
    <>
      <PageHead title="Workspaces" />
      <AnswerView answer={answer}>{workspaces => <Workspaces workspaces={workspaces} />}</AnswerView>
    </>
  );
}

function Workspaces({ workspaces }: { readonly workspaces: readonly WorkspaceDetails[] }) {
  const found = useFilter(workspaces, searchText);
  if (workspaces.length === 0)
    return (
      <EmptyState title="There is no workspace yet">
        Make one in a repository: <Command text="carrel up NAME" />
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
