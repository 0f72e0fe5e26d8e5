import { z } from '@hono/zod-openapi';
import { findRunById } from '../../../batch/record/find-run.js';
import { carrelError } from '../../../domain/error/error.js';
import type { TaskRecord } from '../../../domain/task/task.js';
import { nearest } from '../../../domain/text/nearest-word.js';
import type { WorkspaceRecord } from '../../../domain/workspace/workspace.js';
import type { HttpRoute, Operation } from '../../../operations/operation.js';
import { findTask } from '../../../task/record/find-task.js';
import { requireChangeable, requireChangeableParts } from '../repositories/require-changeable.js';
import type { ServerContext } from '../server-context.js';

/** One, or each of a list of as many as a request may name. */
export async function findSubjects(
  server: ServerContext,
  operation: Operation,
  { instead }: HttpRoute,
  named: string | readonly string[],
): Promise<string | string[]> {
  if (typeof named === 'string') return findSubject(server, operation, named);
  const subject = operation.subject ?? '';
  const field = (instead?.[subject] ?? operation.input.shape[subject]) as z.ZodType;
  if (field.safeParse(named).success) return Promise.all(named.map(id => findSubject(server, operation, id)));
  const { minItems = 1, maxItems } = z.toJSONSchema(field, { io: 'input' });
  throw carrelError('INVALID_INPUT', {
    what: `the number of ${subject}`,
    found: String(named.length),
    expected: `${minItems} ${maxItems === undefined ? 'or more' : `to ${maxItems}`}, separated by commas`,
  });
}

/** By id, from any repository. Changes need a repository that requests may name. */
async function findSubject(
  server: ServerContext,
  { subject, effects }: Operation,
  id: string,
): Promise<string> {
  if (subject === 'snapshot') return requireSnapshotId(id);
  if (subject === 'run' || subject === 'runs') return findRunById(server.app, id);
  if (subject === 'task' && effects === 'reads') return (await findTask(server.app, id)).id;
  if (subject === 'task') return (await requireChangeableTask(server, id)).id;
  const record = await requireWorkspace(server, id);
  if (effects !== 'reads') await requireChangeableParts(server, record);
  return record.id;
}

/** The workspace of an id in a request. WORKSPACE_NOT_FOUND. */
async function requireWorkspace({ app }: ServerContext, id: string): Promise<WorkspaceRecord> {
  const found = await app.store.workspaces.find(id);
  if (found) return found;
  const known = (await app.store.workspaces.list()).map(record => record.id);
  throw carrelError('WORKSPACE_NOT_FOUND', { name: id, known, nearest: nearest(id, known) });
}

/** The task that a request changes. TASK_NOT_FOUND, REPOSITORY_NOT_ALLOWED. */
async function requireChangeableTask(server: ServerContext, id: string): Promise<TaskRecord> {
  const task = await findTask(server.app, id);
  for (const each of task.repositories ?? [task]) await requireChangeable(server, each);
  return task;
}

/** A name would match the newest one in the repository in which the server was started. The operation checks the rest. */
function requireSnapshotId(id: string): string {
  if (id.startsWith('snap_')) return id;
  throw carrelError('SNAPSHOT_NOT_FOUND', { name: id, known: [] });
}
