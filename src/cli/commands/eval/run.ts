import { type Command, Option } from 'commander';
import type { BatchWishes } from '../../../batch/plan-batch.js';
import type { AttemptIsolation } from '../../../domain/attempt.js';
import { parseDuration } from '../../../domain/quantity.js';
import { carryOutBatch, findRepositoryRoot } from '../../carry-out-batch.js';
import { parseAmount, parseCount } from '../../number-option.js';
import { parseList, parseRate } from '../../option-values.js';
import { absolutePath, type CommonOptions, type Session, withApp } from '../../session.js';

export interface DatasetOptions extends CommonOptions {
  readonly dataset: string;
  readonly taskIds?: readonly string[];
  readonly tags?: readonly string[];
  readonly difficulty?: string;
  readonly language?: string;
  readonly sample?: number;
  readonly shuffle?: string;
  readonly parallelism?: number;
  readonly isolation?: AttemptIsolation;
  readonly timeout?: number;
}

interface RunOptions extends DatasetOptions {
  readonly agent?: string;
  readonly model?: string;
  readonly attempts?: number;
  readonly costLimit?: number;
  readonly out?: string;
  readonly gate?: number;
  readonly keepFailed?: boolean;
  readonly quarantined?: boolean;
}

export function define(command: Command, session: Session): void {
  addDatasetOptions(command)
    .option(
      '--agent <name>',
      'who works on them: oracle, nop, a preset, an agent of yours, a command, or a module (default: tasks.agent)',
    )
    .option('--model <name>', 'the model that a preset is told to use')
    .option('--attempts <number>', 'tries of each task (default: 1)', parseCount)
    .option('--cost-limit <usd>', 'begin no more and end what runs when all attempts cost more', parseAmount)
    .option('--out <directory>', "where results are kept (default: Carrel's state directory)")
    .option('--gate <rate>', 'end with 1 when fewer than this part passed, such as 0.8', parseRate)
    .option('--keep-failed', 'keep the files of attempts that did not pass')
    .option('--quarantined', 'also tasks that `carrel eval check` found unsound')
    .action(async (options: RunOptions) => {
      session.interruption.follow('drain');
      const [{ planBatch }, { createRun }] = await Promise.all([
        import('../../../batch/plan-batch.js'),
        import('../../../batch/run-store.js'),
      ]);
      await withApp(session, options, async (app, repository) => {
        const { config } = await app.loadConfig(null);
        const root = await findRepositoryRoot(app, repository);
        const wishes = readWishes(options, root, config.tasks.agent);
        const { drain: signal } = session.interruption;
        const { plan, items, agent } = await planBatch(app, { ...wishes, signal });
        const out = options.out === undefined ? undefined : absolutePath(session, options.out);
        const run = await createRun(app, plan, out);
        await carryOutBatch(session, app, { run, items, agent }, options);
      });
    });
}

/** Those that `eval check` has as well. */
export function addDatasetOptions(command: Command): Command {
  return command
    .requiredOption('--dataset <name>', 'golden, or the path of a file or directory')
    .option('--task-ids <ids>', 'only these tasks, separated by commas', parseList)
    .option('--tags <tags>', 'only tasks with one of these tags', parseList)
    .addOption(new Option('--difficulty <level>', 'only these').choices(['easy', 'medium', 'hard']))
    .option('--language <name>', 'only tasks in this language')
    .option('--sample <number>', 'only so many, by chance', parseCount)
    .option('--shuffle <seed>', 'in an order by chance that this seed decides')
    .option('--parallelism <number>', 'attempts at the same time (default: 1)', parseCount)
    .addOption(
      new Option(
        '--isolation <kind>',
        'how attempts are kept apart (default: worktree, none for one at a time)',
      ).choices(['worktree', 'docker', 'full', 'none']),
    )
    .option(
      '--timeout <duration>',
      'time limit of an agent where its task names none, such as 20m',
      parseDuration,
    );
}

export function readFilter(options: DatasetOptions): BatchWishes['filter'] {
  const { taskIds, tags, difficulty, language, sample, shuffle } = options;
  return { taskIds, tags, difficulty, language, sample, seed: shuffle };
}

function readWishes(options: RunOptions, repositoryRoot: string | null, usual: string): BatchWishes {
  const { dataset, agent = usual, model, attempts = 1, parallelism = 1, isolation, gate } = options;
  return {
    ...{ dataset, agent, model, attempts, parallelism, isolation, gate, repositoryRoot },
    filter: readFilter(options),
    costLimitUsd: options.costLimit,
    timeoutMs: options.timeout,
    keepFailed: options.keepFailed,
    withQuarantined: options.quarantined,
  };
}
