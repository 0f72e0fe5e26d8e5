import { createRoute, z } from '@hono/zod-openapi';
import { RemovalResultSchema } from '../../../domain/report/result.js';
import {
  type DeveloperWorkflow,
  DeveloperWorkflowSchema,
  DeveloperWorktreeSchema,
  WorkflowRequestSchema,
} from '../../../domain/story/developer-workflow.js';
import { isUnfinished } from '../../../domain/task/task-state.js';
import { findTask } from '../../../task/record/find-task.js';
import type { AddRoutes } from '../api.js';
import { idParameter, readAccepted, removalQuery } from '../responses/route-parameters.js';
import { jsonAnswer, jsonBody, problemAnswers } from '../responses/route-responses.js';
import type { ServerContext } from '../server-context.js';
import { acceptTask } from '../stories/accept-task.js';
import { composeStory } from '../stories/compose-story.js';
import { describeWorkflow } from '../stories/describe-workflow.js';
import { listWorktrees, removeDeveloperWorktree } from '../stories/developer-worktrees.js';
import { idempotencyHeader, readIdempotency } from '../stories/idempotency.js';
import { preferHeader, readWait } from '../stories/prefer-wait.js';

const tags = ['developer'];

const submitWorkflow = createRoute({
  method: 'post',
  path: '/api/developer/workflows',
  operationId: 'submitWorkflow',
  tags,
  summary: 'Run a story in its own worktree',
  request: {
    body: jsonBody(WorkflowRequestSchema),
    headers: preferHeader.extend(idempotencyHeader.shape),
  },
  responses: {
    200: jsonAnswer(DeveloperWorkflowSchema, 'the story has finished; only if the client chose to wait'),
    202: jsonAnswer(
      DeveloperWorkflowSchema,
      'the story is accepted; its worktree will be at `worktreePath`, and `worktreeKept` says whether it is there',
    ),
    ...problemAnswers(400, 409, 422, 503),
  },
});

const listWorkflows = createRoute({
  method: 'get',
  path: '/api/developer/workflows',
  operationId: 'listWorkflows',
  tags,
  summary: 'List the newest workflows',
  responses: { 200: jsonAnswer(z.array(DeveloperWorkflowSchema), 'newest first, at most 200') },
});

const showWorkflow = createRoute({
  method: 'get',
  path: '/api/developer/workflows/{id}',
  operationId: 'showWorkflow',
  tags,
  summary: 'Show one workflow, with the path of its worktree',
  request: { params: idParameter('id of the workflow') },
  responses: { 200: jsonAnswer(DeveloperWorkflowSchema, 'the workflow'), ...problemAnswers(400, 404) },
});

const listAllWorktrees = createRoute({
  method: 'get',
  path: '/api/developer/worktrees',
  operationId: 'listWorktrees',
  tags,
  summary: 'List worktrees with their workflows',
  responses: { 200: jsonAnswer(z.array(DeveloperWorktreeSchema), 'oldest first') },
});

const deleteWorktree = createRoute({
  method: 'delete',
  path: '/api/developer/worktrees/{id}',
  operationId: 'removeWorktree',
  tags,
  summary: 'Remove a worktree, unless work would be lost',
  request: { params: idParameter('id of the worktree, or of its workflow'), query: removalQuery },
  responses: {
    200: jsonAnswer(RemovalResultSchema, 'the worktree is removed'),
    ...problemAnswers(400, 404, 409),
  },
});

const MOST_LISTED = 200;

export const addDeveloperRoutes: AddRoutes = (api, server) => {
  api.openapi(submitWorkflow, async c => {
    const { signal } = c.req.raw;
    const {
      targetRepository: repository,
      keep = true,
      story,
      content,
      description,
      title,
      ...wishes
    } = c.req.valid('json');
    const headers = c.req.valid('header');
    const idempotency = readIdempotency(headers, c.req.valid('json'));
    const text = composeStory({ story, content, description, title });
    const { id } = await acceptTask(
      server,
      { ...wishes, repository, keep, description: text },
      { idempotency, signal },
    );
    const seconds = readWait(headers);
    if (seconds !== undefined) await awaitTask(server, id, { milliseconds: seconds * 1000, signal });
    const { workflow, isOver } = await lookUp(server, id);
    c.header('location', `/api/developer/workflows/${id}`);
    if (seconds !== undefined) c.header('preference-applied', `wait=${seconds}`);
    return seconds !== undefined && isOver ? c.json(workflow, 200) : c.json(workflow, 202);
  });
  api.openapi(listWorkflows, async c => c.json(await listNewest(server), 200));
  api.openapi(showWorkflow, async c => {
    const { workflow } = await lookUp(server, c.req.valid('param').id);
    return c.json(workflow, 200);
  });
  api.openapi(listAllWorktrees, async c => c.json(await listWorktrees(server), 200));
  api.openapi(deleteWorktree, async c => {
    const accepted = readAccepted(c.req.valid('query'));
    return c.json(await removeDeveloperWorktree(server, c.req.valid('param').id, accepted), 200);
  });
};

/** Waits until the task stops, or the time is over. */
async function awaitTask(
  { events, stopping }: ServerContext,
  taskId: string,
  until: { readonly milliseconds: number; readonly signal: AbortSignal },
): Promise<void> {
  const signal = AbortSignal.any([AbortSignal.timeout(until.milliseconds), until.signal, stopping]);
  for await (const _ of events.follow({ after: 0, taskId, signal }));
}

async function lookUp({ app }: ServerContext, id: string) {
  const record = await findTask(app, id);
  const workspace =
    record.workspaceId === null ? undefined : await app.store.workspaces.find(record.workspaceId);
  return {
    workflow: describeWorkflow(record, workspace !== undefined),
    isOver: !isUnfinished(record.status),
  };
}

async function listNewest({ app }: ServerContext): Promise<DeveloperWorkflow[]> {
  const tasks = await app.store.tasks.list({ newest: MOST_LISTED });
  const present = new Set((await app.store.workspaces.list()).map(({ id }) => id));
  return tasks.toReversed().map(task => describeWorkflow(task, present.has(task.workspaceId ?? '')));
}
