import { setMaxListeners } from 'node:events';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { DestinationStream, Logger } from 'pino';
import { type App, type AppOptions, openApp } from '../app.js';
import { createApi } from './create-api.js';
import { createGate } from './gate.js';
import { DEFAULT_LIMITS, type ServerLimits } from './limits.js';
import { listen } from './listen.js';
import { loadPages, type Page } from './load-pages.js';
import { createLogger, type LogLevel } from './logger.js';
import { openEventHub } from './open-event-hub.js';
import { isLoopback, urlOf } from './own-url.js';
import { createRequestListener } from './request-listener.js';
import { keepResuming } from './resume-tasks.js';
import { loadToken, type Token } from './security/token.js';
import type { ServerContext, ServerSettings } from './server-context.js';
import { stopListening } from './stop.js';

export interface ServeOptions {
  readonly settings: ServerSettings;
  readonly environment: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Where the token is; made when it is not there. <state>/server/token by default. */
  readonly tokenFile?: string | undefined;
  readonly logLevel?: LogLevel | undefined;
  /** Takes the log, a line of JSON at a time; standard error by default. */
  readonly logDestination?: DestinationStream | undefined;
  /** Other than the usual ones. */
  readonly limits?: Partial<ServerLimits> | undefined;
  readonly ownCommand?: AppOptions['ownCommand'];
  readonly onStep?: AppOptions['onStep'];
}

export interface RunningServer {
  /** Where it listens, such as http://127.0.0.1:7717. */
  readonly url: string;
  readonly port: number;
  readonly tokenFile: string;
  /** The token when it was made now; null when it was there already. */
  readonly newToken: string | null;
  /** An address for a browser with a code that works once, for ten minutes. */
  createLoginLink(): string;
  /** Takes no more requests, ends streams, lets the others come to their end, and closes. Idempotent. */
  stop(): Promise<void>;
}

export async function startServer(options: ServeOptions): Promise<RunningServer> {
  const { environment, cwd, ownCommand, onStep } = options;
  const secrets: string[] = [];
  const log = createLogger({
    level: options.logLevel ?? 'info',
    destination: options.logDestination ?? process.stderr,
    secrets,
  });
  const app = await openApp({ environment, cwd, ownCommand, onStep, narrate: line => log.info(line) });
  try {
    const tokenFile = options.tokenFile ?? join(app.places.stateDir, 'server', 'token');
    const token = await loadToken(tokenFile);
    secrets.push(token.value);
    const running = await serveApp(app, token, log, options);
    return { ...running, tokenFile, newToken: token.isNew ? token.value : null };
  } catch (error) {
    await app.close();
    throw error;
  }
}

async function serveApp(app: App, token: Token, log: Logger, { settings, limits: wishes }: ServeOptions) {
  const limits = { ...DEFAULT_LIMITS, ...wishes };
  const { host, dashboardDirectory } = settings;
  const pages = dashboardDirectory === null ? new Map<string, Page>() : loadPages(dashboardDirectory);
  const { server, port } = await listen({ host, port: settings.port, limits });
  // Nothing is awaited from here until there is somebody to answer.
  const url = urlOf(host, port);
  const gate = createGate({ token: token.value, url, port, limits, now: app.now });
  const stopping = new AbortController();
  // Every stream listens; Node would warn of a leak from the eleventh on.
  setMaxListeners(0, stopping.signal);
  const onTrouble = (error: unknown) => log.warn({ err: error }, 'events can not be read');
  const events = openEventHub({ store: app.store, onTrouble });
  const context: ServerContext = {
    app,
    settings,
    events,
    log,
    version: ownVersion(),
    stopping: stopping.signal,
  };
  server.on('request', createRequestListener(createApi(context, gate, pages), gate));
  if (!isLoopback(host))
    log.warn({ host }, 'other machines can reach this server; whoever has the token owns this user');
  log.info({ url }, 'the server listens');
  const resuming = keepResuming(context);
  const stop = once(async () => {
    log.info('the server stops');
    stopping.abort();
    await stopListening(server, gate);
    await resuming;
    await events.close();
    gate.metrics.close();
    await app.close();
  });
  return { url, port, createLoginLink: gate.createLoginLink, stop };
}

function ownVersion(): string {
  const { version } = createRequire(import.meta.url)('carrel/package.json') as { version: string };
  return version;
}

function once(action: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => (done ??= action());
}
