import type { WorkspaceDetails } from '../../../../src/domain/workspace/workspace.js';
import { Isolation } from '../../components/status/isolation.js';
import type { Column } from '../../components/table/column.js';
import { Age } from '../../components/text/age.js';
import { formatBytes, lastPart } from '../../components/text/amounts.js';
import { amountOfWork, WorkState } from './work-state.js';

export const WORKSPACE_COLUMNS: readonly Column<WorkspaceDetails>[] = [
  { key: 'name', title: 'Name', cell: ({ name }) => name, sortBy: ({ name }) => name },
  {
    key: 'repository',
    title: 'Repository',
    needs: 'medium',
    cell: ({ repository, repositories }) => (
      <span title={repository}>
        {repositories ? repositories.map(({ alias }) => alias).join(', ') : lastPart(repository)}
      </span>
    ),
    sortBy: ({ repository }) => lastPart(repository),
  },
  {
    key: 'branch',
    title: 'Branch',
    needs: 'wide',
    cell: ({ branch }) => branch ?? '',
    sortBy: ({ branch }) => branch,
  },
  {
    key: 'work',
    title: 'Work',
    cell: workspace => <WorkState workspace={workspace} />,
    sortBy: amountOfWork,
  },
  {
    key: 'isolation',
    title: 'Isolation',
    needs: 'medium',
    cell: ({ isolation }) => <Isolation {...isolation} />,
    sortBy: ({ isolation }) => isolation.effective,
  },
  {
    key: 'size',
    title: 'Size',
    needs: 'wide',
    alignsEnd: true,
    cell: ({ sizeBytes }) => <span className="size">{sizeBytes === null ? '' : formatBytes(sizeBytes)}</span>,
    sortBy: ({ sizeBytes }) => sizeBytes,
  },
  {
    key: 'activity',
    title: 'Activity',
    needs: 'medium',
    alignsEnd: true,
    cell: ({ lastActivityAt }) => <Age at={lastActivityAt} />,
    sortBy: ({ lastActivityAt }) => Date.parse(lastActivityAt),
  },
];
