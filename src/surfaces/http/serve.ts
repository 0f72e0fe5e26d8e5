import { setMaxListeners } from 'node:events';
import type { Server } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { DestinationStream, Logger } from 'pino';
import { type App, type AppOptions, openApp } from '../../app.js';
import { createRedactor } from '../../domain/secret/redactor.js';
import { createApi } from './create-api.js';
import { openEventHub } from './events/open-event-hub.js';
import { keepCheckpoints } from './keep-checkpoints.js';
import { listen } from './listener/listen.js';
import { createRequestListener } from './listener/request-listener.js';
import { createLogger, type LogLevel } from './logging/logger.js';
import { keepResuming } from './resume-tasks.js';
import { loadPages, type Page } from './routes/load-pages.js';
import { isLoopback, urlOf } from './security/own-url.js';
import { createGate, type Gate } from './security/request-gate.js';
import { DEFAULT_LIMITS, type ServerLimits } from './security/server-limits.js';
import type { ServerContext, ServerSettings } from './server-context.js';
import { loadToken, type Token } from './sessions/server-token-file.js';

export interface ServeOptions {
  readonly settings: ServerSettings;
  readonly environment: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** The file of the token; created if missing. <state>/server/token by default. */
  readonly tokenFile?: string | undefined;
  readonly logLevel?: LogLevel | undefined;
  /** Gets the log, one line of JSON at a time; standard error by default. */
  readonly logDestination?: DestinationStream | undefined;
  /** Overrides of the default limits. */
  readonly limits?: Partial<ServerLimits> | undefined;
  readonly ownCommand?: AppOptions['ownCommand'];
  readonly onStep?: AppOptions['onStep'];
}

export interface RunningServer {
  /** The address that it listens on, such as http://127.0.0.1:7717. */
  readonly url: string;
  readonly port: number;
  readonly tokenFile: string;
  /** The token if it is new; null if it existed already. */
  readonly newToken: string | null;
  /** A login address for a browser. It works once, for ten minutes. */
  createLoginLink(): string;
  /** Accepts no more requests, closes streams, waits for the others, and closes. Idempotent. */
  stop(): Promise<void>;
}

export async function startServer(options: ServeOptions): Promise<RunningServer> {
  const { environment, cwd, ownCommand, onStep } = options;
  const redactor = createRedactor();
  const log = createLogger({
    level: options.logLevel ?? 'info',
    destination: options.logDestination ?? process.stderr,
    redactor,
  });
  const app = await openApp({
    environment,
    cwd,
    ownCommand,
    onStep,
    redactor,
    narrate: line => log.info(line),
  });
  try {
    const tokenFile = options.tokenFile ?? join(app.places.stateDir, 'server', 'token');
    const token = await loadToken(tokenFile);
    redactor.add([token.value]);
    const running = await serveApp(app, { ...token, endedFile: `${tokenFile}.ended-sessions` }, log, options);
    return { ...running, tokenFile, newToken: token.isNew ? token.value : null };
  } catch (error) {
    await app.close();
    throw error;
  }
}

async function serveApp(
  app: App,
  { value, endedFile }: Token & { readonly endedFile: string },
  log: Logger,
  { settings, limits: wishes }: ServeOptions,
) {
  const limits = { ...DEFAULT_LIMITS, ...wishes };
  const { host, dashboardDirectory } = settings;
  const pages = dashboardDirectory === null ? new Map<string, Page>() : loadPages(dashboardDirectory);
  const { server, port } = await listen({ host, port: settings.port, limits });
  // No await from here until there is a request handler.
  const url = urlOf(host, port);
  const gate = createGate({ token: value, endedFile, url, port, limits, now: app.now });
  const stopping = new AbortController();
  // Every stream adds a listener; Node would warn of a leak from the eleventh on.
  setMaxListeners(0, stopping.signal);
  const onTrouble = (error: unknown) => log.warn({ err: error }, 'cannot read events');
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
    log.warn(
      { host },
      'other machines can reach this server; the token gives full access to this user account',
    );
  log.info({ url }, 'the server is listening');
  const resuming = keepResuming(context);
  const checkpointing = keepCheckpoints(context);
  const stop = once(async () => {
    log.info('the server is stopping');
    stopping.abort();
    await stopListening(server, gate);
    await resuming;
    await checkpointing;
    await events.close();
    gate.metrics.close();
    await app.close();
  });
  return { url, port, createLoginLink: gate.createLoginLink, stop };
}

/**
 * Accepts no more connections, waits for running requests within the limit, then closes every connection. Streams stop by
 * themselves: they listen to the `stopping` signal.
 */
async function stopListening(server: Server, { handlers, answers, limits }: Gate): Promise<void> {
  const closed = new Promise<void>(resolve => void server.close(() => resolve()));
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>(resolve => {
    timer = setTimeout(resolve, limits.stopMs);
  });
  await Promise.race([Promise.all([handlers.whenEmpty(), answers.whenEmpty()]), limit]);
  clearTimeout(timer);
  // Node does not count open connections without a request as idle: `close` alone would wait for them.
  server.closeAllConnections();
  await closed;
}

function ownVersion(): string {
  const { version } = createRequire(import.meta.url)('carrel/package.json') as { version: string };
  return version;
}

function once(action: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => (done ??= action());
}
