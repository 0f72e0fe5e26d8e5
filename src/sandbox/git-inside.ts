import type { WorkspaceRecord } from '../domain/workspace/workspace.js';

type Facts = Pick<WorkspaceRecord, 'backend' | 'branch' | 'commonDir'>;

/** Whether the workspace is one of the user's directories, used as it is. */
export const isInPlace = ({ backend }: Pick<WorkspaceRecord, 'backend'>): boolean => backend === 'direct';

/** Whether there is a git directory inside. A part of a checkout has none: its top is not visible there. */
export const hasGitInside = (record: Facts): boolean =>
  record.commonDir !== null && (!isInPlace(record) || record.branch !== null);
