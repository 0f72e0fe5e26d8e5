import { createRoute, z } from '@hono/zod-openapi';
import { RemovalRisksSchema, WorkspaceRequestSchema } from '../../domain/api-requests.js';
import { RemovalResultSchema } from '../../domain/result.js';
import { WorkspaceDetailsSchema, WorkspaceSchema } from '../../domain/workspace.js';
import { assessRemoval } from '../../operations/assess-removal.js';
import { removeWorkspace } from '../../operations/down.js';
import { listWorkspaces } from '../../operations/list.js';
import { showWorkspace } from '../../operations/show.js';
import { up } from '../../operations/up.js';
import type { AddRoutes } from '../api.js';
import { openDirectory, openRepository } from '../repositories/open-repository.js';
import { jsonAnswer, optionalBody, problemAnswers } from '../route-answers.js';
import {
  detailsQuery,
  idParameter,
  readAccepted,
  removalQuery,
  repositoryQuery,
} from '../route-parameters.js';
import { shareCalls } from '../share-calls.js';
import {
  queryChangeableWorkspace,
  queryWorkspace,
  requireWorkspace,
} from '../workspaces/require-workspace.js';
import { addWorkspaceWorkRoutes } from './workspace-work.js';

const tags = ['workspaces'];
const params = idParameter('id of the workspace');

const createWorkspaceRoute = createRoute({
  method: 'post',
  path: '/api/workspaces',
  operationId: 'createWorkspace',
  tags,
  summary: 'Make a workspace',
  request: { body: optionalBody(WorkspaceRequestSchema) },
  responses: {
    201: jsonAnswer(WorkspaceSchema, 'the workspace, ready'),
    ...problemAnswers(400, 404, 409, 422, 503),
  },
});

const listWorkspacesRoute = createRoute({
  method: 'get',
  path: '/api/workspaces',
  operationId: 'listWorkspaces',
  tags,
  summary: 'List workspaces, of all repositories unless one is named',
  request: { query: repositoryQuery.extend(detailsQuery.shape) },
  responses: {
    200: jsonAnswer(z.array(WorkspaceDetailsSchema), 'oldest first'),
    ...problemAnswers(400, 404, 422),
  },
});

const showWorkspaceRoute = createRoute({
  method: 'get',
  path: '/api/workspaces/{id}',
  operationId: 'showWorkspace',
  tags,
  summary: 'Show one workspace',
  request: { params },
  responses: { 200: jsonAnswer(WorkspaceDetailsSchema, 'the workspace'), ...problemAnswers(404) },
});

const listRisksRoute = createRoute({
  method: 'get',
  path: '/api/workspaces/{id}/risks',
  operationId: 'listWorkspaceRisks',
  tags,
  summary: 'Tell what removing a workspace would lose; nothing is changed',
  request: { params },
  responses: {
    200: jsonAnswer(RemovalRisksSchema, 'no risks: nothing would be lost'),
    ...problemAnswers(404),
  },
});

const removeWorkspaceRoute = createRoute({
  method: 'delete',
  path: '/api/workspaces/{id}',
  operationId: 'removeWorkspace',
  tags,
  summary: 'Remove a workspace when nothing is lost by it, or when that is accepted',
  request: { params, query: removalQuery },
  responses: {
    200: jsonAnswer(RemovalResultSchema, 'what was done, and the snapshot that brings it back'),
    ...problemAnswers(404, 409),
  },
});

export const addWorkspaceRoutes: AddRoutes = (api, server) => {
  const { app } = server;
  const placeOf = (repository: string | undefined) => ({
    repository: repository ?? app.cwd,
    all: repository === undefined,
  });
  const listFast = (repository: string | undefined) =>
    listWorkspaces(app, { ...placeOf(repository), fast: true });
  // Every open page asks for it whenever something happens, and it takes about ten milliseconds for each workspace.
  const listShared = shareCalls((repository: string | undefined) => listWorkspaces(app, placeOf(repository)));
  api.openapi(createWorkspaceRoute, async c => {
    const { repository, base: asked, ...wishes } = c.req.valid('json');
    const { signal } = c.req.raw;
    const { directory, base } = await openRepository(server, { repository, base: asked, signal });
    const workspace = await up(app, { ...wishes, repository: directory, base });
    return c.json(workspace, 201, { location: `/api/workspaces/${workspace.id}` });
  });
  api.openapi(listWorkspacesRoute, async c => {
    const { repository: given, details } = c.req.valid('query');
    const repository = given === undefined ? undefined : await openDirectory(server, given);
    const list = details === 'false' ? listFast : listShared;
    return c.json(await list(repository), 200);
  });
  api.openapi(showWorkspaceRoute, async c => {
    const query = await queryWorkspace(server, c.req.valid('param').id);
    const { risks, snapshots, refusedConnections, ...details } = await showWorkspace(app, query);
    return c.json(details, 200);
  });
  api.openapi(listRisksRoute, async c => {
    const record = await requireWorkspace(server, c.req.valid('param').id);
    const { risks } = await assessRemoval(app, record);
    const { id, name, path } = record;
    return c.json({ id, name, path, risks: risks.map(risk => ({ ...risk, items: [...risk.items] })) }, 200);
  });
  api.openapi(removeWorkspaceRoute, async c => {
    const query = await queryChangeableWorkspace(server, c.req.valid('param').id);
    const accepted = readAccepted(c.req.valid('query'));
    return c.json(await removeWorkspace(app, { ...query, accepted }), 200);
  });
  addWorkspaceWorkRoutes(api, server);
};
