import { createRequire } from 'node:module';
import { hostname, release } from 'node:os';
import { readGitVersion } from '../../git/repository/git-version.js';
import type { Context } from '../../operations/context.js';
import type { EvalAgent } from '../eval-agent.js';

/** What results may depend on besides the task and the agent, for later comparisons. */
export async function describeEnvironment(
  context: Pick<Context, 'git' | 'places'>,
  agent: EvalAgent,
): Promise<Record<string, string>> {
  return {
    carrel: readOwnVersion(),
    platform: `${process.platform} ${process.arch}`,
    kernel: release(),
    node: process.version,
    git: await readGitVersion(context.git, context.places.temporaryRoot),
    ...(agent.version === null ? {} : { agent: agent.version }),
  };
}

/** The same with the machine's name: attempts of one run may come from several machines. */
export const describeMachine = async (
  context: Pick<Context, 'git' | 'places'>,
  agent: EvalAgent,
): Promise<Record<string, string>> => ({
  host: hostname(),
  ...(await describeEnvironment(context, agent)),
});

export function readOwnVersion(): string {
  const { version } = createRequire(import.meta.url)('carrel/package.json') as { version: string };
  return version;
}
