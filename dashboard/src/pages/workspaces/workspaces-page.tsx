import type { CarrelEvent } from '../../../../src/domain/event.js';
import type { WorkspaceDetails } from '../../../../src/domain/workspace.js';
import { countOf } from '../../components/amounts.js';
import { AnswerView } from '../../components/answer-view.js';
import { Command } from '../../components/command.js';
import { EmptyState } from '../../components/empty-state.js';
import { FilterField, useFilter } from '../../components/filter-field.js';
import { PageHead } from '../../components/page-head.js';
import { DataTable } from '../../components/table/data-table.js';
import { useAnswer } from '../../server/use-answer.js';
import { WORKSPACE_COLUMNS } from './workspace-columns.js';

/** Files change without an event. */
const EVERY_MS = 20_000;

export function WorkspacesPage() {
  const answer = useAnswer({
    key: 'workspaces',
    load: (client, signal) => client.workspaces.list({ signal }),
    changesWith: isAboutWorkspaces,
    everyMs: EVERY_MS,
  });
  return (
    <>
      <PageHead title="Workspaces" />
      <AnswerView answer={answer}>{workspaces => <Workspaces workspaces={workspaces} />}</AnswerView>
    </>
  );
}

const isAboutWorkspaces = ({ type }: CarrelEvent): boolean =>
  type.startsWith('workspace.') || type === 'recovery.done';

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
