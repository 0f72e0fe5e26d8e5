import { createRoute } from '@hono/zod-openapi';
import { ConfigReportSchema, DoctorReportSchema } from '../../domain/result.js';
import { reportConfig } from '../../operations/config.js';
import { diagnose } from '../../operations/doctor.js';
import type { AddRoutes } from '../api.js';
import { openDirectory } from '../repositories/open-repository.js';
import { jsonAnswer, problemAnswers } from '../route-answers.js';
import { repositoryQuery } from '../route-parameters.js';
import type { ServerContext } from '../server-context.js';
import { withoutSecrets } from '../without-secrets.js';

const tags = ['settings'];

const configRoute = createRoute({
  method: 'get',
  path: '/api/config',
  operationId: 'showConfig',
  tags,
  summary: 'Show every setting in force and where it comes from; values of variables are left out',
  request: { query: repositoryQuery },
  responses: { 200: jsonAnswer(ConfigReportSchema, 'the configuration'), ...problemAnswers(400, 404, 422) },
});

const doctorRoute = createRoute({
  method: 'get',
  path: '/api/doctor',
  operationId: 'diagnose',
  tags,
  summary: 'Look at everything that Carrel stands on',
  request: { query: repositoryQuery },
  responses: { 200: jsonAnswer(DoctorReportSchema, 'what was found'), ...problemAnswers(400, 404, 422) },
});

export const addSettingsRoutes: AddRoutes = (api, server) => {
  const { app } = server;
  api.openapi(configRoute, async c => {
    const repository = await findPlace(server, c.req.valid('query').repository);
    return c.json(withoutSecrets(await reportConfig(app, { repository })), 200);
  });
  api.openapi(doctorRoute, async c => {
    const repository = await findPlace(server, c.req.valid('query').repository);
    return c.json(await diagnose(app, { repository }), 200);
  });
};

/** Both can be told outside of any repository as well. */
async function findPlace(server: ServerContext, given: string | undefined): Promise<string> {
  if (given === undefined && server.settings.repository === null) return server.app.cwd;
  return openDirectory(server, given);
}
