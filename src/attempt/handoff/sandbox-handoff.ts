import { dirname } from 'node:path';
import type { CommandResult } from '../../domain/command/command.js';
import type { WorkspaceEnvironment } from '../../domain/command/environment.js';
import { type CarrelError, carrelError, isCarrelError } from '../../domain/error/error.js';
import { formatDuration } from '../../domain/text/format-quantity.js';
import { findFullPlace } from '../../git/disk/disk-full.js';
import type { Collected, Handoff } from './handoff.js';
import { HANDOFF_DIRECTORIES, handoffPaths, requireInHandoff } from './handoff-layout.js';
import { OUTPUT_LIMITS } from './output-allowance.js';
import { parseBundle } from './parse-bundle.js';
import { CLEAR_SCRIPT, COLLECT_SCRIPT, PLACE_SCRIPT } from './sandbox-handoff-scripts.js';

export interface SandboxHandoffPlace {
  /** A path inside; the host never reads it. */
  readonly directory: string;
  /** The directory in the home that holds it, or itself: a link in its place is removed. */
  readonly root: string;
  /** Where the home is on the host, to see whether its disk is full. */
  readonly outside?: string | undefined;
}

/** A handoff directory in the private home of a sandbox. */
export function createSandboxHandoff(environment: WorkspaceEnvironment, place: SandboxHandoffPlace): Handoff {
  const { directory, root } = place;
  const seen = handoffPaths(directory);
  const run = (script: string, args: readonly string[], stdin?: Buffer) =>
    environment.run({
      command: ['sh', '-c', script, 'sh', ...args],
      stdin,
      timeoutMs: LIMIT_MS,
      maxOutputBytes: MOST_OUTPUT_BYTES,
      endsLeftovers: false,
    });
  return {
    seen,
    place: async files => {
      requireInHandoff(directory, files.keys());
      const { args, bundle } = packFiles(directory, files);
      const result = await run(PLACE_SCRIPT, [root, ...args], bundle);
      if (result.exitCode !== 0) throw await explainFailure(environment, place, result);
    },
    collect: async () => readCollected(await run(COLLECT_SCRIPT, [seen.outputDir])),
    clear: () => run(CLEAR_SCRIPT, [directory]).then(ignore, unlessExpected),
  };
}

/** Input for PLACE_SCRIPT: all contents concatenated, and the start (from 1) and length of each file. */
export function packFiles(
  handoff: string,
  files: ReadonlyMap<string, Buffer>,
): { readonly args: string[]; readonly bundle: Buffer } {
  const bundle = Buffer.concat([...files.values()]);
  const directories = new Set([...HANDOFF_DIRECTORIES, ...[...files.keys()].map(dirname)]);
  let start = 1;
  const entries = [...files].flatMap(([path, { length }]) => {
    const entry = [path, String(start), String(length)];
    start += length;
    return entry;
  });
  return { args: [handoff, String(bundle.length), [...directories].join('\n'), ...entries], bundle };
}

const ignore = (): void => undefined;

/** Without a workspace or a runtime there is no access; the directory is then removed with the private home. */
function unlessExpected(error: unknown): void {
  if (!isCarrelError(error)) throw error;
}

/** Copying 16 MiB takes a second; the limit allows for a busy machine. */
const LIMIT_MS = 120_000;
/** All outputs, plus a line for each of them and for each file left out. */
const MOST_OUTPUT_BYTES = OUTPUT_LIMITS.bytesOfAll + 1024 ** 2;

async function explainFailure(
  { runtime = 'sandbox' }: WorkspaceEnvironment,
  { directory, outside }: SandboxHandoffPlace,
  { exitCode, timedOut }: CommandResult,
): Promise<CarrelError> {
  const full = outside === undefined ? undefined : await findFullPlace([outside]);
  if (full !== undefined) return carrelError('DISK_FULL', { path: full });
  const how = timedOut ? `not within ${formatDuration(LIMIT_MS)}` : `exit status ${exitCode ?? 'none'}`;
  const problem = `cannot write the agent's files to ${directory} (${how})`;
  return carrelError('SANDBOX_REFUSED', { runtime, problem });
}

/** The agent may have replaced the programs that copy the files: their output is untrusted. */
function readCollected({ stdout, exitCode }: CommandResult): Collected {
  const { files, warnings, isWhole } = parseBundle(stdout);
  const torn = `cannot read all outputs of the agent (exit status ${exitCode ?? 'none'})`;
  return { files, warnings: isWhole ? warnings : [...warnings, torn] };
}
