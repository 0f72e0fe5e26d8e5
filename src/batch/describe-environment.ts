import { readGitVersion } from '../git/version.js';
import type { Context } from '../operations/context.js';
import type { EvalAgent } from './eval-agent.js';

/** What results may depend on besides the task and the agent, for whoever compares them later. */
export async function describeEnvironment(
  context: Context,
  agent: EvalAgent,
): Promise<Record<string, string>> {
  return {
    platform: `${process.platform} ${process.arch}`,
    node: process.version,
    git: await readGitVersion(context.git, context.places.temporaryRoot),
    ...(agent.version === null ? {} : { agent: agent.version }),
  };
}
