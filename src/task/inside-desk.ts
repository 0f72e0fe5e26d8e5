import { type CarrelError, carrelError, isCarrelError } from '../domain/error.js';
import { formatDuration } from '../domain/quantity.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import { findFullPlace } from '../git/disk-full.js';
import type { Context } from '../operations/context.js';
import { type CommandResult, runCommand } from '../operations/run-command.js';
import type { Collected, Desk } from './desk.js';
import { layOut, requireOnDesk } from './desk-layout.js';
import { CLEAR_SCRIPT, COLLECT_SCRIPT, PLACE_SCRIPT } from './inside-desk-scripts.js';
import { OUTPUT_LIMITS } from './output-allowance.js';
import { packFiles } from './pack-files.js';
import { parseBundle } from './parse-bundle.js';

/** A desk in the private home of a sandbox. `directory` is a path inside; the host never looks at it. */
export function createInsideDesk(context: Context, record: WorkspaceRecord, directory: string): Desk {
  const seen = layOut(directory);
  const run = (script: string, args: readonly string[], stdin?: Buffer) =>
    runCommand(context, record, {
      command: ['sh', '-c', script, 'sh', ...args],
      stdin,
      timeoutMs: LIMIT_MS,
      maxOutputBytes: MOST_OUTPUT_BYTES,
      endsLeftovers: false,
    });
  return {
    seen,
    place: async files => {
      requireOnDesk(directory, files.keys());
      const { args, bundle } = packFiles(directory, files);
      const result = await run(PLACE_SCRIPT, args, bundle);
      if (result.exitCode !== 0) throw await explainFailure(context, record, directory, result);
    },
    collect: async () => readCollected(await run(COLLECT_SCRIPT, [seen.outputDir])),
    clear: () => run(CLEAR_SCRIPT, [directory]).then(ignore, unlessExpected),
  };
}

const ignore = (): void => undefined;

/** Without a workspace or a runtime there is no way in; the desk goes with the private home then. */
function unlessExpected(error: unknown): void {
  if (!isCarrelError(error)) throw error;
}

/** Copying 16 MiB takes a second; this is for a machine that is busy with everything else. */
const LIMIT_MS = 120_000;
/** All outputs, and a line about each and about what was left out. */
const MOST_OUTPUT_BYTES = OUTPUT_LIMITS.bytesOfAll + 1024 ** 2;

async function explainFailure(
  context: Context,
  record: WorkspaceRecord,
  directory: string,
  { exitCode, timedOut }: CommandResult,
): Promise<CarrelError> {
  const { home } = (await context.sandboxes()).placeOf(record.id);
  const full = await findFullPlace([home]);
  if (full !== undefined) return carrelError('DISK_FULL', { path: full });
  const how = timedOut ? `not within ${formatDuration(LIMIT_MS)}` : `exit status ${exitCode ?? 'none'}`;
  const problem = `files for the agent could not be placed at ${directory} (${how})`;
  return carrelError('SANDBOX_REFUSED', { runtime: record.runtime, problem });
}

/** What is inside may have changed the very programs that do the copying: whatever they print is judged as foreign. */
function readCollected({ stdout, exitCode }: CommandResult): Collected {
  const { files, warnings, isWhole } = parseBundle(stdout);
  const torn = `what was left on the desk could not be read to its end (exit status ${exitCode ?? 'none'})`;
  return { files, warnings: isWhole ? warnings : [...warnings, torn] };
}
