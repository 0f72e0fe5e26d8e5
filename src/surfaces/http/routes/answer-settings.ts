import { diagnose } from '../../../operations/diagnosis/doctor.js';
import { reportConfig } from '../../../operations/setup/config.js';
import { openDirectory } from '../repositories/open-repository.js';
import type { ServerContext } from '../server-context.js';
import type { Answer, OperationRequest } from './own-answers.js';
import { withoutSecrets } from './without-secrets.js';

export const answerConfig =
  (server: ServerContext): Answer =>
  async (request, c) => {
    const repository = await findPlace(server, request);
    return c.json(withoutSecrets(await reportConfig(server.app, { repository })), 200);
  };

export const answerDoctor =
  (server: ServerContext): Answer =>
  async (request, c) =>
    c.json(await diagnose(server.app, { repository: await findPlace(server, request) }), 200);

/** Both also work outside of a repository. */
async function findPlace(server: ServerContext, { input }: OperationRequest): Promise<string> {
  const { repository } = input as { readonly repository?: string };
  if (repository === undefined && server.settings.repository === null) return server.app.cwd;
  return openDirectory(server, repository);
}
