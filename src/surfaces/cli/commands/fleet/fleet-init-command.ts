import type { Command } from 'commander';
import { carrelError } from '../../../../domain/error/error.js';
import { answer, type CommonOptions, type Session, withApp } from '../../cli-session.js';

interface InitOptions extends CommonOptions {
  readonly local?: boolean;
  readonly artifacts?: string;
}

export function define(command: Command, session: Session): void {
  command
    .argument('[fleet]', 'postgres://…, a directory, or local')
    .option('--local', 'start a PostgreSQL on this machine and use it, to try a fleet')
    .option(
      '--artifacts <place>',
      'where files are: a directory that all machines see, s3://BUCKET/PREFIX?endpoint=URL, or the URL of a hub',
    )
    .action((fleet: string | undefined, options: InitOptions) => init(session, fleet, options));
}

async function init(session: Session, given: string | undefined, options: InitOptions): Promise<void> {
  session.interruption.follow('finish');
  if ((given === undefined) === !options.local)
    throw carrelError('INVALID_INPUT', {
      what: 'the fleet',
      found: options.local ? 'an address and --local' : 'nothing',
      expected: 'an address such as postgres://…, or --local',
    });
  const { initFleet } = await import('../../../../fleet/open/open-fleet.js');
  const { loadSubmitterKey } = await import('../../../../fleet/travel/trust/submitter-key.js');
  const created = await withApp(session, options, async app => {
    const local = options.local ? await startLocal(app, session) : undefined;
    const address = local?.url ?? (given as string);
    const { fleet, artifacts } = await initFleet(app, address, options.artifacts ?? local?.artifacts);
    const { publicKey } = await loadSubmitterKey(app);
    // The address of a local one has a password that this command has made.
    return { fleet: local?.url ?? fleet, artifacts, key: publicKey };
  });
  answer(session, options, created, ({ fleet, key }) =>
    [
      `carrel worker --on ${quote(given ?? fleet)} --accept-key ${key}`,
      `carrel eval run --on ${quote(given ?? fleet)} --dataset golden --agent oracle`,
    ].join('\n'),
  );
  session.output.narrate(`files of jobs and results: ${created.artifacts}`);
}

/** The answer is to be pasted into a shell. */
const quote = (text: string): string =>
  /^[\w:/.@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

async function startLocal(app: Parameters<Parameters<typeof withApp>[2]>[0], { output }: Session) {
  const { startLocalPostgres } = await import('../../../../fleet/open/local-postgres.js');
  const server = await startLocalPostgres(app);
  output.narrate(`PostgreSQL runs in ${server.directory}; stop it with: ${server.stopCommand}`);
  return server;
}
