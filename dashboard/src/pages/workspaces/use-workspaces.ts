import { useMemo } from 'react';
import type { CarrelEvent } from '../../../../src/domain/event.js';
import type { WorkspaceDetails } from '../../../../src/domain/workspace/workspace.js';
import { type Answer, useAnswer } from '../../server/use-answer.js';

/** Files change without an event. */
const EVERY_MS = 20_000;

/**
 * All workspaces: first the records of the store, later the state of the files of each, which takes seconds for a
 * thousand of them. Unknown values are null.
 */
export function useWorkspaces(): Answer<readonly WorkspaceDetails[]> {
  const list = useAnswer({
    key: 'workspaces',
    load: (client, signal) => client.workspaces.list({ fast: true, signal }),
    changesWith: isAboutWorkspaces,
  });
  const looked = useAnswer({
    key: 'looked-at workspaces',
    load: (client, signal) => client.workspaces.list({ signal }),
    changesWith: isAboutWorkspaces,
    everyMs: EVERY_MS,
    isCostly: true,
  });
  const data = useMemo(
    () => list.data && withDetails(list.data, looked.data ?? []),
    [list.data, looked.data],
  );
  const refresh = () => {
    list.refresh();
    looked.refresh();
  };
  return {
    data,
    error: list.error ?? looked.error,
    isLoading: list.isLoading || looked.isLoading,
    refresh,
  };
}

const isAboutWorkspaces = ({ type }: CarrelEvent): boolean =>
  type.startsWith('workspace.') || type === 'recovery.done';

/** The list is newer: only the fields that it lacks come from the file scan. */
function withDetails(
  list: readonly WorkspaceDetails[],
  looked: readonly WorkspaceDetails[],
): readonly WorkspaceDetails[] {
  const byId = new Map(looked.map(workspace => [workspace.id, workspace]));
  return list.map(workspace => {
    const details = byId.get(workspace.id);
    if (!details) return workspace;
    const { changes, ahead, behind, conflictsWithBase, sizeBytes } = details;
    return { ...workspace, changes, ahead, behind, conflictsWithBase, sizeBytes };
  });
}
