import { createRoute } from '@hono/zod-openapi';
import { LandRequestSchema, SnapshotRequestSchema } from '../../domain/api-requests.js';
import { LandResultSchema } from '../../domain/result.js';
import { SnapshotSchema } from '../../domain/snapshot.js';
import { diffWorkspace } from '../../operations/diff.js';
import { landWorkspace } from '../../operations/land.js';
import { snapshotWorkspace } from '../../operations/snapshot.js';
import type { AddRoutes } from '../api.js';
import { jsonAnswer, optionalBody, problemAnswers, textAnswer } from '../route-answers.js';
import { idParameter } from '../route-parameters.js';
import { streamOutput } from '../stream-output.js';
import { queryChangeableWorkspace, queryWorkspace } from '../workspaces/require-workspace.js';

const tags = ['workspaces'];
const params = idParameter('id of the workspace');

const diffRoute = createRoute({
  method: 'get',
  path: '/api/workspaces/{id}/diff',
  operationId: 'diffWorkspace',
  tags,
  summary: 'Everything that a workspace changes against its base, as `git apply` takes it',
  request: { params },
  responses: {
    200: textAnswer('text/x-diff', 'the patch, byte by byte, binary files included'),
    ...problemAnswers(400, 404, 409, 422),
  },
});

const snapshotRoute = createRoute({
  method: 'post',
  path: '/api/workspaces/{id}/snapshots',
  operationId: 'snapshotWorkspace',
  tags,
  summary: 'Hold everything in a workspace as it is now',
  request: { params, body: optionalBody(SnapshotRequestSchema) },
  responses: { 201: jsonAnswer(SnapshotSchema, 'the snapshot'), ...problemAnswers(400, 404, 409, 422, 503) },
});

const landRoute = createRoute({
  method: 'post',
  path: '/api/workspaces/{id}/land',
  operationId: 'landWorkspace',
  tags,
  summary: 'Bring the commits of a workspace to a branch of the repository',
  request: { params, body: optionalBody(LandRequestSchema) },
  responses: { 200: jsonAnswer(LandResultSchema, 'what was landed'), ...problemAnswers(400, 404, 409, 422) },
});

/** What is done with the work in a workspace. */
export const addWorkspaceWorkRoutes: AddRoutes = (api, server) => {
  const { app } = server;
  api.openapi(diffRoute, async c => {
    const query = await queryWorkspace(server, c.req.valid('param').id);
    const patch = await streamOutput(write => diffWorkspace(app, { ...query, format: 'patch' }, write));
    return c.body(patch, 200, { 'content-type': 'text/x-diff' });
  });
  api.openapi(snapshotRoute, async c => {
    const query = await queryChangeableWorkspace(server, c.req.valid('param').id);
    return c.json(await snapshotWorkspace(app, { ...query, ...c.req.valid('json') }), 201);
  });
  api.openapi(landRoute, async c => {
    const query = await queryChangeableWorkspace(server, c.req.valid('param').id);
    return c.json(await landWorkspace(app, { ...query, ...c.req.valid('json') }), 200);
  });
};
