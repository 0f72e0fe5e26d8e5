import { dirname } from 'node:path';
import { startTestServer, type TestServer } from '../server/test-server.js';
import { makeScriptedTasks, type ScriptedTasks, type ScriptedTasksOptions } from './scripted-tasks.js';

/** A server whose root holds one repository, with agents that are shell scripts. */
export interface StorySite extends TestServer, Pick<ScriptedTasks, 'repository' | 'tally'> {
  /** Sends JSON. */
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
}

export async function makeStorySite(
  agent: string,
  options: Partial<ScriptedTasksOptions> = {},
): Promise<StorySite> {
  const { repository, carrel, tally } = makeScriptedTasks({
    agents: { worker: agent },
    stages: [{ name: 'only', agent: 'worker' }],
    workflow: { isolation: 'worktree' },
    ...options,
  });
  const server = await startTestServer({ carrel, settings: { allowedRoots: [dirname(repository)] } });
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    server.fetch(path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...headers },
    });
  return { ...server, repository, tally, post };
}
