import { diffWorkspace } from '../../../operations/workspace/diff.js';
import { listWorkspaces } from '../../../operations/workspace/list.operation.js';
import { streamOutput } from '../responses/stream-output.js';
import type { Answer } from '../routes/own-answers.js';
import type { ServerContext } from '../server-context.js';
import { shareCalls } from './share-calls.js';

/** Every open page requests it on every event, and it takes about ten milliseconds per workspace. */
export const answerWorkspaceList = ({ app: context }: ServerContext): Answer => {
  const listAll = shareCalls(() => listWorkspaces.run({ context, repository: context.cwd }, { all: true }));
  const listShared = shareCalls((repository: string) => listWorkspaces.run({ context, repository }, {}));
  return async ({ call, input }, c) => {
    if (input.fast) return c.json(await listWorkspaces.run(call, input), 200);
    return c.json(await (input.all ? listAll(undefined) : listShared(call.repository)), 200);
  };
};

/** A patch can be large: it is sent while git writes it. */
export const answerWorkspaceDiff =
  (): Answer =>
  async ({ call, input }, c) => {
    const query = { repository: call.repository, name: input.workspace as string, format: 'patch' } as const;
    const patch = await streamOutput(write => diffWorkspace(call.context, query, write));
    return c.body(patch, 200, { 'content-type': 'text/x-diff' });
  };
