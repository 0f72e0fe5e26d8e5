import { createId } from '../domain/id.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import type { RunRequest, RunResult } from '../exec/run.js';
import type { SandboxResult } from '../runtime/runtime.js';
import type { InsideCommand, InsideResult } from '../sandbox/sandboxes.js';
import type { Context } from './context.js';

/** Runs a command in the sandbox of a workspace and tells the user what else there is to know. */
export async function runInside(
  context: Context,
  record: WorkspaceRecord,
  command: InsideCommand,
): Promise<SandboxResult> {
  const sandboxes = await context.sandboxes();
  const outcome = await sandboxes.exec(record, command);
  for (const warning of describeOutcome(record, outcome)) context.narrate(`warning: ${warning}`);
  return outcome.result;
}

function describeOutcome(record: WorkspaceRecord, outcome: InsideResult): string[] {
  const { takenBack, refusals, result, warnings } = outcome;
  return [
    ...warnings,
    ...(result.limit ? [`the command ran into its limit of ${result.limit}`] : []),
    ...(result.sandboxDied ? ['the sandbox ended before the command did'] : []),
    ...(refusals > 0
      ? [
          `the network's allow-list refused ${refusals} connection(s); which ones is in: carrel show ${record.name}`,
        ]
      : []),
    ...(takenBack?.outcome === 'refused'
      ? [`commits stay inside and were not taken back: ${takenBack.problems.join('; ')}`]
      : []),
    ...(takenBack?.warnings ?? []),
  ];
}

/**
 * For whoever runs commands in a workspace by a request as on the host. The request's environment stays outside: it is
 * the caller's.
 */
export function runnerInside(
  context: Context,
  record: WorkspaceRecord,
): (request: RunRequest) => Promise<RunResult> {
  return ({ command, args, cwd, stdin, output, onOutput, timeoutMs, signal, maxOutputBytes, graceMs }) =>
    runInside(context, record, {
      id: createId('op', context.ids),
      command: [command, ...args],
      workingDirectory: cwd,
      ...{ stdin, output, onOutput, timeoutMs, signal, maxOutputBytes, graceMs },
    });
}
