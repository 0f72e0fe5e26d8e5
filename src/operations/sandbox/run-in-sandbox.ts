import type { CommandResult } from '../../domain/command/command.js';
import type { Environment } from '../../domain/command/environment.js';
import { createId } from '../../domain/id.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import type { InsideCommand, InsideResult } from '../../sandbox/sandboxes.js';
import type { Context } from '../context.js';

/** Runs a command in the sandbox of a workspace and reports warnings to the user. */
export async function runInside(
  context: Pick<Context, 'sandboxes' | 'narrate'>,
  record: WorkspaceRecord,
  command: InsideCommand,
): Promise<CommandResult> {
  const sandboxes = await context.sandboxes();
  const onWarning = (warning: string) => context.narrate(`warning: ${warning}`);
  const outcome = await sandboxes.run(record, { ...command, onWarning });
  for (const warning of describeOutcome(record, outcome)) onWarning(warning);
  return outcome.result;
}

function describeOutcome(record: WorkspaceRecord, outcome: InsideResult): string[] {
  const { takenBack, refusals, result, warnings } = outcome;
  return [
    ...warnings,
    ...(result.limit ? [`the command hit its ${result.limit} limit`] : []),
    ...(result.sandboxDied ? ['the sandbox died before the command finished'] : []),
    ...(refusals > 0
      ? [
          `the network's allowlist refused ${refusals} ${refusals === 1 ? 'connection' : 'connections'}; see: carrel show ${record.name}`,
        ]
      : []),
    ...(takenBack?.outcome === 'refused'
      ? [`commits were not imported and stay in the sandbox: ${takenBack.problems.join('; ')}`]
      : []),
    ...(takenBack?.warnings ?? []),
  ];
}

/** For commands that are not recorded; they start in the workspace's directory, even where the sandbox has another. */
export const createInsideEnvironment = (
  context: Pick<Context, 'sandboxes' | 'ids' | 'narrate'>,
  record: WorkspaceRecord,
): Environment => ({
  run: command =>
    runInside(context, record, {
      workingDirectory: record.path,
      ...command,
      id: createId('op', context.ids),
    }),
});
