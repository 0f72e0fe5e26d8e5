import { randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { type Command, Option } from 'commander';
import { carrelError } from '../../../../domain/error/error.js';
import type { WorkspaceStrategy } from '../../../../domain/isolation/workspace-config.js';
import { workspaceStrategies } from '../../../../domain/isolation/workspace-strategy.js';
import type { CreateTaskRequest, TaskRequest } from '../../../../task/create.operation.js';
import type { CreateTaskInput } from '../../../../task/create-task.js';
import {
  addWatchOptions,
  runAndWatchTask,
  takerOf,
  type WatchOptions,
} from '../../actions/run-and-watch-task.js';
import { type Session, withApp } from '../../cli-session.js';
import { addFields, readFields } from '../../derive-command.js';
import { fieldsOf } from '../../derived-fields.js';
import { countFor } from '../../options/number-option.js';
import { addServerOptions, asksServer, type ServerOptions } from '../../remote/server-options.js';

interface RunOptions extends WatchOptions, ServerOptions {
  readonly on?: string;
  readonly label?: readonly string[];
  readonly issue?: number;
  readonly strategy?: WorkspaceStrategy;
  readonly land?: boolean;
  readonly into?: string;
  readonly push?: boolean;
  readonly pullRequest?: boolean;
}

export function define(command: Command, session: Session): void {
  // With --issue there need not be one.
  const fields = fieldsOf('run').map(({ required, ...field }) => field);
  addWatchOptions(addServerOptions(addFields(command, fields)))
    .addOption(
      new Option('--strategy <name>', 'instead of --isolation: the kind of workspace').choices(
        workspaceStrategies,
      ),
    )
    .option(
      '--issue <number>',
      'take the description from this issue, read with gh or glab',
      countFor('--issue'),
    )
    .option(
      '--on <fleet>',
      'run it on a worker of a fleet, with --isolation full by default: postgres://…, a directory, or local',
    )
    .option('--label <label...>', 'with --on: labels that a worker must have')
    .option('--land', 'land the work when the task succeeds')
    .option('--into <branch>', 'with --land: the branch to land on (default: the one it started from)')
    .option('--push', 'push the branch to origin when the task succeeds')
    .option('--pull-request', 'push and open a pull request with gh when the task succeeds')
    .addHelpText('after', '\nWith - as the description, it is read from standard input.')
    .action(async (given: string | undefined, options: RunOptions & Record<string, unknown>) => {
      session.interruption.follow('finish');
      const text = given === undefined ? undefined : await readDescription(given);
      const { description, issue } = await findDescription(text, options, session);
      const request = {
        ...readFields(fields, [description], options),
        description,
        ...(issue && { issue }),
        ...(options.strategy && { workspace: { strategy: options.strategy } }),
        land: readLanding(options),
        publish: readPublishing(options),
      };
      await (asksServer(options, session) ? runOnServer : runHere)(request, options, session);
    });
}

type Run = (request: CreateTaskRequest, options: RunOptions, session: Session) => Promise<void>;

const runHere: Run = async (given, options, session) => {
  const request = readPlace(given, options);
  const [{ createTask }, { readTaskRequest }] = await Promise.all([
    import('../../../../task/create-task.js'),
    import('../../../../task/create.operation.js'),
  ]);
  await runAndWatchTask(session, options, async (app, repository) => {
    const fleet = readFleet(options);
    const input = { repository, ...readTaskRequest(request), taker: takerOf(options), fleet };
    const task = await createTask(app, input);
    for (const warning of task.warnings) app.narrate(`warning: ${warning}`);
    return task;
  });
};

/** Workers refuse weaker isolation without --allow. */
const readPlace = (request: CreateTaskRequest, { on, strategy }: RunOptions): CreateTaskRequest =>
  on === undefined || strategy !== undefined ? request : { isolation: 'full', ...request };

function readFleet({ on, label }: RunOptions): CreateTaskInput['fleet'] {
  if (on !== undefined) return { address: on, labels: label ?? [] };
  if (label === undefined) return undefined;
  const found = 'given without --on';
  throw carrelError('INVALID_INPUT', { what: '--label', found, expected: '--on FLEET --label LABEL' });
}

const runOnServer: Run = async (given, options, session) => {
  const request = requireForServer(given, options);
  const [{ nameRepository, withServer }, { watchTaskOnServer }, { untilAnswered }] = await Promise.all([
    import('../../remote/server-connection.js'),
    import('../../actions/watch-task-on-server.js'),
    import('../../../client/until-answered.js'),
  ]);
  await withServer(session, options, async server => {
    const repository = nameRepository(session, options, server);
    const { client } = server;
    // Reports a missing server at once, without the retries of the request below.
    await client.health();
    const idempotencyKey = randomUUID();
    const task = await untilAnswered(() =>
      client.tasks.create({ ...request, repository }, { idempotencyKey }),
    );
    await watchTaskOnServer(session, server, task, options);
  });
};

const readDescription = async (given: string): Promise<string> =>
  given === '-' ? text(process.stdin) : given;

async function findDescription(
  description: string | undefined,
  options: RunOptions,
  session: Session,
): Promise<Pick<CreateTaskRequest, 'description' | 'issue'>> {
  const { issue: number } = options;
  if (number !== undefined) {
    const { readIssue } = await import('../../../../task/forge/read-issue.js');
    const { signal } = session.interruption;
    return withApp(session, options, (app, repository) =>
      readIssue(app, { repository, number, description, signal }),
    );
  }
  if (description !== undefined) return { description };
  const expected = 'a description, or --issue NUMBER';
  throw carrelError('INVALID_INPUT', { what: 'the description', found: 'missing', expected });
}

/** Only --land lands: a branch alone may be meant for a later `carrel land`. */
function readLanding({ land, into }: RunOptions): { into: string | null } | undefined {
  if (land) return { into: into ?? null };
  if (into === undefined) return undefined;
  const found = 'given without --land';
  throw carrelError('INVALID_INPUT', { what: '--into', found, expected: `--land --into ${into}` });
}

function readPublishing({ push, pullRequest = false }: RunOptions): CreateTaskRequest['publish'] {
  return push || pullRequest ? { remote: 'origin', pullRequest } : undefined;
}

/** NOT_ON_A_SERVER for options that only work on the machine of the server. */
function requireForServer(
  { publish, trust, ...request }: CreateTaskRequest,
  { push, pullRequest, on }: RunOptions,
): TaskRequest {
  const given = { '--trust': trust, '--push': push, '--pull-request': pullRequest, '--on': on !== undefined };
  const refused = Object.entries(given).flatMap(([flag, isGiven]) => (isGiven ? [flag] : []));
  if (refused.length > 0) throw carrelError('NOT_ON_A_SERVER', { options: refused });
  return request;
}
