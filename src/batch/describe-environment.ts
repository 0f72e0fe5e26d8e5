import type { Context } from '../operations/context.js';
import type { EvalAgent } from './eval-agent.js';

/** What results may depend on besides the task and the agent, for whoever compares them later. */
export async function describeEnvironment(
  context: Context,
  agent: EvalAgent,
): Promise<Record<string, string>> {
  const git = await context.git.text(['--version'], {});
  return {
    platform: `${process.platform} ${process.arch}`,
    node: process.version,
    git: git.trim().replace(/^git version /, ''),
    ...(agent.version === null ? {} : { agent: agent.version }),
  };
}
