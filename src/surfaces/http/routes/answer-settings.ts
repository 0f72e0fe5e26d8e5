import type { ConfigReport } from '../../../domain/report/result.js';
import { diagnose } from '../../../operations/diagnosis/doctor.js';
import { reportConfig } from '../../../operations/setup/config.js';
import { openDirectory } from '../repositories/open-repository.js';
import type { ServerContext } from '../server-context.js';
import type { Answer, OperationRequest } from './own-answers.js';

export const answerConfig =
  (server: ServerContext): Answer =>
  async (request, c) => {
    const repository = await findPlace(server, request);
    return c.json(withoutSecrets(await reportConfig(server.app, { repository })), 200);
  };

const HIDDEN = '(hidden)';

/** The configuration without the values of variables, which may contain API keys. */
function withoutSecrets({ files, values }: ConfigReport): ConfigReport {
  return {
    files,
    values: values.map(entry => ({ ...entry, value: hide(entry.value, isHiding(entry.key)) })),
  };
}

const isHiding = (key: string): boolean => key.split('.').includes(HOLDER);

/** Everything below this key is variables, in agents and in containers. */
const HOLDER = 'environment';

function hide(value: unknown, isHidden: boolean): unknown {
  if (Array.isArray(value)) return value.map(each => hide(each, isHidden));
  if (value !== null && typeof value === 'object') {
    const entries = Object.entries(value).map(([key, each]) => [key, hide(each, isHidden || key === HOLDER)]);
    return Object.fromEntries(entries);
  }
  return isHidden ? HIDDEN : value;
}

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
