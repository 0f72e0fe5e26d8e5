import { fileURLToPath } from 'node:url';
import { type Command, Option } from 'commander';
import type { App } from '../../../../app.js';
import type { EffectiveConfig } from '../../../../config/effective-config.js';
import { type AllowedPlace, parseAllowedPlace } from '../../../../domain/api/allowed-place.js';
import { carrelError } from '../../../../domain/error/error.js';
import type { RunningServer } from '../../../http/serve.js';
import type { ServerSettings } from '../../../http/server-context.js';
import { absolutePath, type CommonOptions, type Session, withApp } from '../../cli-session.js';
import { findKillSeam } from '../../exit/test-kill-point.js';
import { dashboardDirectory } from '../../startup/dashboard-directory.js';

const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;

interface ServeCommandOptions extends CommonOptions {
  readonly host?: string;
  readonly port?: number;
  readonly allow?: readonly string[];
  readonly hostName?: readonly string[];
  readonly tokenFile?: string;
  readonly logLevel: (typeof LOG_LEVELS)[number];
}

export function define(command: Command, session: Session): void {
  command
    .option('--port <port>', 'the port to listen on; 0 for any free port (default: 7717)', parsePort)
    .option('--host <address>', 'the address to listen on (default: 127.0.0.1, this machine only)')
    .option('--host-name <name...>', 'additional host name that requests may use, such as that of a proxy')
    .option('--allow <place...>', 'directories and URL prefixes of repositories that requests may use')
    .option('--token-file <file>', 'the file for the token (default: server/token in the state directory)')
    .addOption(
      new Option('--log-level <level>', 'level of the log on standard error (JSON lines)')
        .choices(LOG_LEVELS)
        .default('warn'),
    )
    .addHelpText(
      'after',
      '\nRequests may always use the repository in which the server was started, and others only with --allow or server.allow.',
    )
    .action((options: ServeCommandOptions) => serve(options, session));
}

async function serve(options: ServeCommandOptions, session: Session): Promise<void> {
  session.interruption.follow('finish');
  const settings = await withApp(session, options, (app, repository) =>
    findSettings(app, repository, options, session),
  );
  const { startServer } = await import('../../../http/serve.js');
  const server = await startServer({
    settings,
    environment: session.environment,
    cwd: session.currentDirectory(),
    tokenFile: options.tokenFile === undefined ? undefined : absolutePath(session, options.tokenFile),
    logLevel: options.logLevel,
    ownCommand: session.ownCommand,
    onStep: findKillSeam(session.environment),
  });
  try {
    announce(server, settings, options, session);
    await untilInterrupted(session.interruption.signal);
  } finally {
    await server.stop();
  }
}

async function findSettings(
  app: App,
  repository: string,
  options: ServeCommandOptions,
  session: Session,
): Promise<ServerSettings> {
  const { findRepository } = await import('../../../../operations/workspace/find-workspace.js');
  const root = (await findRepository(app, repository))?.root ?? null;
  const { config } = await app.loadConfig(null);
  const { roots, urls } = sortPlaces(config.server, options, session);
  return {
    host: options.host ?? config.server.host,
    port: options.port ?? config.server.port,
    hostNames: [...config.server.hostNames, ...(options.hostName ?? [])],
    repository: root,
    allowedRoots: [...(root === null ? [] : [root]), ...roots],
    allowedUrls: urls,
    dashboardDirectory: fileURLToPath(dashboardDirectory()),
  };
}

function sortPlaces(
  { allow }: EffectiveConfig['server'],
  options: ServeCommandOptions,
  session: Session,
): { readonly roots: string[]; readonly urls: string[] } {
  const places = [...allow, ...(options.allow ?? [])].map(requirePlace);
  return {
    roots: places.flatMap(place => (place.kind === 'directory' ? [absolutePath(session, place.path)] : [])),
    urls: places.flatMap(place => (place.kind === 'url' ? [place.url] : [])),
  };
}

function requirePlace(text: string): AllowedPlace {
  const place = parseAllowedPlace(text);
  if (place) return place;
  throw carrelError('INVALID_INPUT', {
    what: '--allow',
    found: JSON.stringify(text),
    expected: 'a directory, or the beginning of an https, ssh or file URL',
  });
}

/**
 * The address goes to stdout, the rest to stderr. Login link and token are shown on a terminal only: a file may be a log
 * that others read, so it gets the path of the token and the command instead.
 */
function announce(
  server: RunningServer,
  settings: ServerSettings,
  { json }: CommonOptions,
  { output }: Session,
): void {
  const { url, port, tokenFile, newToken } = server;
  if (json) output.json({ url, port, tokenFile, pid: process.pid });
  else output.answer(url);
  output.narrate(`carrel serves ${describeReach(settings)}`);
  if (!output.isNarratedToTerminal) {
    output.narrate(`dashboard: get a link in a terminal with: carrel dashboard --server ${url}`);
    output.narrate(`token: in ${tokenFile}`);
    return;
  }
  output.narrate(`dashboard (link works once, for ten minutes): ${server.createLoginLink()}`);
  output.narrate(`another link: carrel dashboard --server ${url}`);
  output.narrate(
    newToken === null
      ? `token: in ${tokenFile}`
      : `token (shown only once): ${newToken} (kept in ${tokenFile})`,
  );
}

const describeReach = ({ allowedRoots, allowedUrls }: ServerSettings): string => {
  const places = [...allowedRoots, ...allowedUrls];
  return places.length === 0
    ? 'the repositories it already knows; add others with --allow'
    : places.join(', ');
};

const untilInterrupted = (signal: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    if (signal.aborted) return resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });

function parsePort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw carrelError('INVALID_INPUT', {
    what: '--port',
    found: JSON.stringify(text),
    expected: 'a whole number from 0 to 65535',
  });
}
