import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { parseEnv } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { type Command, Option } from 'commander';
import { ATTEMPT_ISOLATIONS, type AttemptIsolation } from '../../../../domain/batch/attempt.js';
import { carrelError } from '../../../../domain/error/error.js';
import type { Context } from '../../../../operations/context.js';
import { absolutePath, type Session, withApp } from '../../cli-session.js';
import { DONE } from '../../exit/exit-code.js';
import { countFor, durationFor } from '../../options/number-option.js';
import { addFleetOption, type FleetOptions, withFleet } from './fleet-option.js';

interface WorkerCommandOptions extends FleetOptions {
  readonly slots: number;
  readonly label?: readonly string[];
  readonly allow: AttemptIsolation;
  readonly acceptKey?: readonly string[];
  readonly allowRoot?: boolean;
  readonly untilIdle?: number;
  readonly envFile?: string;
  readonly name?: string;
}

export function define(command: Command, session: Session): void {
  addFleetOption(command)
    .option('--slots <number>', 'number of attempts to run at once', countFor('--slots'), 1)
    .option('--label <label...>', 'labels that jobs can ask for: a word, or name=value')
    .addOption(
      new Option('--allow <isolation>', 'the weakest isolation of jobs')
        .choices(ATTEMPT_ISOLATIONS)
        .default('full'),
    )
    .option(
      '--accept-key <key...>',
      'public keys of submitters, from: carrel fleet key (default: the key of this state directory)',
    )
    .option('--allow-root', 'run jobs although this worker is root')
    .option(
      '--until-idle <duration>',
      'exit when there was no job for this long',
      durationFor('--until-idle'),
    )
    .option('--env-file <file>', 'variables for agents, such as keys: lines NAME=VALUE')
    .option('--name <name>', 'the name in `carrel fleet ls` (default: the name of this machine)')
    .action((options: WorkerCommandOptions) => work(session, options));
}

async function work(session: Session, options: WorkerCommandOptions): Promise<void> {
  session.interruption.follow('drain');
  // A worker waits for most of its life, beside agents that need the memory: about 20 MB less.
  setFlagsFromString('--optimize-for-size');
  const environment = { ...session.environment, ...(await readEnvironment(session, options.envFile)) };
  await withApp({ ...session, environment }, options, app =>
    withFleet(session, app, options, async fleet => {
      const { runWorker } = await import('../../../../fleet/worker/run-worker.js');
      const { drain, signal: stop } = session.interruption;
      const { slots, untilIdle: untilIdleMs, name = hostname() } = options;
      await runWorker(app, {
        ...{ engine: fleet.engine, store: await fleet.openStore(), name, slots, drain, stop, untilIdleMs },
        terms: await readTerms(app, options),
        onReady: host => announce(session, options, { host, name, fleet: fleet.name }),
      });
    }),
  );
  // To be drained is the usual end of a worker.
  const { signal, exitCode } = session.interruption;
  session.exitWith(signal.aborted ? (exitCode() ?? DONE) : DONE);
}

function announce(
  { output }: Session,
  { json, slots }: WorkerCommandOptions,
  ready: { readonly host: string; readonly name: string; readonly fleet: string },
): void {
  if (json) output.json({ ...ready, slots });
  else output.answer(ready.host);
  output.narrate(`${ready.name} works for ${ready.fleet}, ${slots} at once; Ctrl-C finishes what it has`);
}

/** Such a worker would refuse every job. */
const ROOT = {
  what: 'the user of this worker',
  found: 'root',
  expected: 'an ordinary user, or the option --allow-root',
} as const;

async function readTerms(app: Context, options: WorkerCommandOptions) {
  const [{ loadSubmitterKey, parsePublicKey }, { readOwnVersion }] = await Promise.all([
    import('../../../../fleet/travel/trust/submitter-key.js'),
    import('../../../../batch/plan/describe-environment.js'),
  ]);
  const { acceptKey, allow, label = [], allowRoot = false } = options;
  const keys = acceptKey ?? [(await loadSubmitterKey(app)).publicKey];
  for (const key of keys) parsePublicKey(key);
  const isRoot = process.getuid?.() === 0;
  if (isRoot && !allowRoot) throw carrelError('INVALID_INPUT', ROOT);
  return { keys, allow, labels: label, carrel: readOwnVersion(), isRoot, allowRoot };
}

async function readEnvironment(session: Session, file: string | undefined): Promise<Record<string, string>> {
  if (file === undefined) return {};
  const path = absolutePath(session, file);
  try {
    return parseEnv(await readFile(path, 'utf8')) as Record<string, string>;
  } catch (error) {
    const details = { what: '--env-file', found: path, expected: 'a readable file with lines NAME=VALUE' };
    throw carrelError('INVALID_INPUT', details, error);
  }
}
