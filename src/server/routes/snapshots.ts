import { createRoute, z } from '@hono/zod-openapi';
import { RestoreRequestSchema } from '../../domain/api-requests.js';
import { carrelError } from '../../domain/error.js';
import { type Snapshot, SnapshotSchema } from '../../domain/snapshot.js';
import { WorkspaceSchema } from '../../domain/workspace.js';
import { restoreSnapshot } from '../../operations/restore.js';
import { listSnapshots } from '../../operations/snapshot.js';
import type { AddRoutes } from '../api.js';
import { openDirectory } from '../repositories/open-repository.js';
import { requireChangeable } from '../repositories/require-changeable.js';
import { jsonAnswer, optionalBody, problemAnswers } from '../route-answers.js';
import { idParameter, repositoryQuery } from '../route-parameters.js';

const tags = ['snapshots'];

const listRoute = createRoute({
  method: 'get',
  path: '/api/snapshots',
  operationId: 'listSnapshots',
  tags,
  summary: 'List snapshots that can be restored, of all repositories unless one is named',
  request: { query: repositoryQuery },
  responses: { 200: jsonAnswer(z.array(SnapshotSchema), 'newest first'), ...problemAnswers(400, 404, 422) },
});

const restoreRoute = createRoute({
  method: 'post',
  path: '/api/snapshots/{id}/restore',
  operationId: 'restoreSnapshot',
  tags,
  summary: 'Bring a snapshot back as a workspace, to the byte',
  request: { params: idParameter('id of the snapshot'), body: optionalBody(RestoreRequestSchema) },
  responses: {
    201: jsonAnswer(WorkspaceSchema, 'the workspace'),
    ...problemAnswers(400, 404, 409, 422, 503),
  },
});

export const addSnapshotRoutes: AddRoutes = (api, server) => {
  const { app } = server;
  api.openapi(listRoute, async c => {
    const { repository: given } = c.req.valid('query');
    const place =
      given === undefined
        ? { repository: app.cwd, all: true }
        : { repository: await openDirectory(server, given) };
    return c.json(await listSnapshots(app, { ...place, signal: c.req.raw.signal }), 200);
  });
  api.openapi(restoreRoute, async c => {
    const { id } = c.req.valid('param');
    // A name would mean the newest of that name in whatever repository the server happens to stand.
    const isId = id.startsWith('snap_');
    if (!isId) throw carrelError('SNAPSHOT_NOT_FOUND', { name: id, known: [] });
    const { name } = c.req.valid('json');
    const check = (snapshot: Snapshot) => requireChangeable(server, snapshot);
    const workspace = await restoreSnapshot(app, { repository: app.cwd, snapshot: id, as: name, check });
    return c.json(workspace, 201, { location: `/api/workspaces/${workspace.id}` });
  });
};
