import type { EventType, NewEvent } from '../../domain/event.js';
import type { TaskRecord } from '../../domain/task/task.js';

/** An event that is about a task. */
export const taskEvent = (
  { id, repositoryId, workspaceId }: TaskRecord,
  type: EventType,
  data: NewEvent['data'] = {},
): NewEvent => ({ type, repositoryId, workspaceId, taskId: id, data });
