import { randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { type Command, Option } from 'commander';
import type { TaskRequest } from '../../domain/api-requests.js';
import { carrelError } from '../../domain/error.js';
import type { IsolationMode } from '../../domain/isolation.js';
import type { CreateTaskInput } from '../../task/create-task.js';
import { type CarryOutOptions, carryOut, takerOf } from '../carry-out.js';
import { addLimitOptions, type LimitOptions, readLimits } from '../limit-options.js';
import { parseWholeNumber } from '../number-option.js';
import { addServerOptions, asksServer, type ServerOptions } from '../server-options.js';
import { type Session, withApp } from '../session.js';

interface RunOptions extends CarryOutOptions, LimitOptions, ServerOptions {
  readonly workflow?: string;
  readonly agent?: string;
  readonly isolation?: IsolationMode;
  readonly strict?: boolean;
  readonly base?: string;
  readonly keep?: boolean;
  readonly priority?: number;
  readonly land?: boolean;
  readonly into?: string;
  readonly push?: boolean;
  readonly pullRequest?: boolean;
  readonly trust?: boolean;
}

export function define(command: Command, session: Session): void {
  command
    .argument('<description>', 'what is to be done; - reads it from standard input')
    .option('--workflow <name>', 'the stages to go through (default: tasks.workflow of the configuration)')
    .option('--agent <name>', 'the agent of all stages: a preset such as codex, or one of yours')
    .addOption(
      new Option('--isolation <mode>', 'how far it is kept apart').choices(['full', 'worktree', 'shared']),
    )
    .option('--strict', 'refuse instead of falling back to less isolation')
    .option('--base <ref>', "the branch, tag or commit to start from (default: the repository's HEAD)")
    .option('--detach', 'work on it in the background and print its id')
    .option('--keep', 'keep its workspace, also when it succeeds')
    .option('--priority <number>', 'higher ones go first when many wait (default: 0)', parseWholeNumber);
  addServerOptions(addLimitOptions(command))
    .option('--land', 'land the work when it succeeds')
    .option('--into <branch>', 'the branch to land on; asks for --land')
    .option('--push', 'push the branch to the remote origin when it succeeds')
    .option('--pull-request', 'push and open a pull request with gh when it succeeds')
    .option('--trust', "run the repository's own commands without an approval on record")
    .option('--verbose', 'tell what the agents print, too')
    .action(async (given: string, options: RunOptions) => {
      session.interruption.follow('finish');
      const description = await readDescription(given);
      await (asksServer(options, session) ? runOnServer : runHere)(description, options, session);
    });
}

async function runHere(description: string, options: RunOptions, session: Session): Promise<void> {
  const wishes = { description, ...readWishes(options) };
  const { createTask } = await import('../../task/create-task.js');
  await withApp(session, options, async (app, repository) => {
    const task = await createTask(app, { repository, ...wishes, taker: takerOf(options) });
    for (const warning of task.warnings) session.output.narrate(`warning: ${warning}`);
    await carryOut(session, app, task, options);
  });
}

async function runOnServer(description: string, options: RunOptions, session: Session): Promise<void> {
  const request = { description, ...readRequest(options) };
  const [{ nameRepository, withServer }, { carryOutOnServer }, { untilAnswered }] = await Promise.all([
    import('../server-connection.js'),
    import('../carry-out-on-server.js'),
    import('../../client/until-answered.js'),
  ]);
  await withServer(session, options, async server => {
    const repository = nameRepository(session, options, server);
    const { client } = server;
    // One that is not there is told at once, and not after all the patience for one that has heard us.
    await client.health();
    const idempotencyKey = randomUUID();
    const task = await untilAnswered(() =>
      client.tasks.create({ ...request, repository }, { idempotencyKey }),
    );
    await carryOutOnServer(session, server, task, options);
  });
}

const readDescription = async (given: string): Promise<string> =>
  given === '-' ? text(process.stdin) : given;

function readWishes(options: RunOptions): Omit<CreateTaskInput, 'repository' | 'description'> {
  const { workflow, agent, isolation, strict, base, keep, priority, trust, into } = options;
  const { pullRequest = false } = options;
  return {
    workflow,
    agent,
    isolation,
    strict,
    base,
    keep,
    priority,
    trust,
    ...readLimits(options),
    land: options.land || into !== undefined ? { into: into ?? null } : undefined,
    publish: options.push || pullRequest ? { remote: 'origin', pullRequest } : undefined,
  };
}

/** The same wishes, as a server takes them. NOT_ON_A_SERVER for those that it leaves to whoever is at its machine. */
function readRequest(options: RunOptions): Omit<TaskRequest, 'repository' | 'description'> {
  const refused = LOCAL_ONLY.filter(([name]) => options[name]).map(([, flag]) => flag);
  if (refused.length > 0) throw carrelError('NOT_ON_A_SERVER', { options: refused });
  const { workflow, agent, isolation, strict, base, keep, priority, land } = readWishes(options);
  const { timeout, costLimit: costLimitUsd } = options;
  const timeoutSeconds = timeout === undefined ? undefined : timeout / 1000;
  return { workflow, agent, isolation, strict, base, keep, priority, land, timeoutSeconds, costLimitUsd };
}

const LOCAL_ONLY = [
  ['trust', '--trust'],
  ['push', '--push'],
  ['pullRequest', '--pull-request'],
  ['tokenLimit', '--token-limit'],
] as const satisfies readonly (readonly [keyof RunOptions, string])[];
