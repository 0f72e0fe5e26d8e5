import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import type { Command } from 'commander';
import type { App } from '../../../app.js';
import type { BatchInput } from '../../../batch/run-batch.js';
import type { BatchRun } from '../../../domain/batch/batch-run.js';
import { carrelError } from '../../../domain/error/error.js';
import { answer, type CommonOptions, type Session } from '../cli-session.js';
import { DONE, exitCodes } from '../exit/exit-code.js';
import { openBatchView } from '../live/batch-view.js';
import { formatRunResult } from '../views/eval/eval-result.js';

/** The options of `eval run` and `eval resume` that say where attempts run. */
export interface BatchCommandOptions extends CommonOptions {
  readonly on?: string;
  readonly label?: readonly string[];
  readonly gradeOn?: string;
}

export const addFleetOptions = (command: Command): Command =>
  command
    .option(
      '--on <fleet>',
      'run the attempts on a fleet, with --isolation full by default: postgres://…, a directory, or local',
    )
    .option('--label <label...>', 'with --on: labels that a worker must have')
    .option(
      '--grade-on <label>',
      'with --on: workers with this label grade, when the agents have finished; they need no agent',
    );

/** Runs a batch and prints its result, for `eval run` and `eval resume`. */
export async function runAndWatchBatch(
  session: Session,
  app: App,
  batch: Pick<BatchInput, 'run' | 'items' | 'agent'>,
  options: BatchCommandOptions,
): Promise<void> {
  const { plan } = batch.run;
  for (const { id, reason } of plan.skipped) session.output.narrate(`skipped ${id}: ${reason}`);
  const ended = await execute(session, app, batch, options);
  const report = await writeReport(ended);
  answer(session, options, ended, run => formatRunResult(run, report, session.output.answerColors));
  requireGate(ended);
  session.exitWith(session.interruption.exitCode() ?? (saysNothing(ended) ? exitCodes.failed : DONE));
}

/** There were attempts, and none of them could be graded. */
const saysNothing = ({ attempts, passRate }: BatchRun): boolean => attempts.length > 0 && passRate === null;

async function execute(
  session: Session,
  app: App,
  batch: Pick<BatchInput, 'run' | 'items' | 'agent'>,
  options: BatchCommandOptions,
): Promise<BatchRun> {
  const { drain, signal: stop } = session.interruption;
  const view = openBatchView(session, batch.run.plan);
  const input = { ...batch, drain, stop, observer: view.observer };
  try {
    if (options.on !== undefined) return await executeOnFleet(app, input, options.on, options);
    const { runBatch } = await import('../../../batch/run-batch.js');
    return await runBatch(app, input);
  } finally {
    view.close();
  }
}

async function executeOnFleet(
  app: App,
  input: BatchInput,
  address: string,
  { label: labels = [], gradeOn }: BatchCommandOptions,
): Promise<BatchRun> {
  const [{ openFleet }, { runOnFleet }, { orClose }] = await Promise.all([
    import('../../../fleet/open/open-fleet.js'),
    import('../../../fleet/coordinator/run-on-fleet.js'),
    import('../../../batch/record/close-on-error.js'),
  ]);
  const fleet = await orClose(input.run, () => openFleet(app, address));
  try {
    const store = await orClose(input.run, () => fleet.openStore());
    return await runOnFleet(app, { ...input, engine: fleet.engine, store, labels, gradeOn });
  } finally {
    await fleet.close();
  }
}

/** The repository whose agents can be named; null outside of a repository, where batches run as well. */
export async function findRepositoryRoot(app: App, directory: string): Promise<string | null> {
  const { findRepository } = await import('../../../operations/workspace/find-workspace.js');
  return (await findRepository(app, directory))?.root ?? null;
}

/** Writes report.html next to the results. */
export async function writeReport(run: BatchRun): Promise<string> {
  const [{ exportRun }, { runPlace }] = await Promise.all([
    import('../../../batch/report/export-run.js'),
    import('../../../batch/record/run-place.js'),
  ]);
  const { reportFile: file } = runPlace(run.directory);
  const stream = createWriteStream(file, { mode: 0o600 });
  await exportRun(run, 'html', text => void stream.write(text));
  stream.end();
  await finished(stream);
  return file;
}

/** GATE_NOT_MET. Attempts that could not be graded count as not passed. */
function requireGate({ id, gate, passRateOfAll }: BatchRun): void {
  const rate = passRateOfAll ?? 0;
  if (gate !== null && rate < gate) throw carrelError('GATE_NOT_MET', { id, rate, gate });
}
