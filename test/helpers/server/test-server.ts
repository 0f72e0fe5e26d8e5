import { readFileSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import type { CarrelClient } from '../../../src/surfaces/client/carrel-client.js';
import { createClient } from '../../../src/surfaces/client/create-client.js';
import { type RunningServer, type ServeOptions, startServer } from '../../../src/surfaces/http/serve.js';
import type { ServerSettings } from '../../../src/surfaces/http/server-context.js';
import { type Carrel, createCarrel } from '../carrel.js';
import { tempDir } from '../temp.js';

export interface TestServer {
  readonly url: string;
  readonly token: string;
  readonly client: CarrelClient;
  readonly server: RunningServer;
  /** The command line on the same state. */
  readonly carrel: Carrel;
  readonly environment: Readonly<Record<string, string>>;
  /** What the server has logged so far, a line of JSON each. */
  readonly log: readonly string[];
  /** A request with the token. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  stop(): Promise<void>;
}

export interface TestServerOptions extends Partial<Omit<ServeOptions, 'settings' | 'environment'>> {
  /** The one that it is started in, and an allowed root; none by default. */
  readonly repository?: string | undefined;
  readonly settings?: Partial<ServerSettings> | undefined;
  /** Another server's, for a second one on the same state. */
  readonly carrel?: Carrel | undefined;
}

/** A real server on its own port, with its own state; stopped when the test ends. */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const { repository, settings, carrel = createCarrel(), ...rest } = options;
  const log: string[] = [];
  const server = await startServer({
    cwd: repository ?? tempDir(),
    environment: carrel.env,
    logDestination: { write: line => void log.push(line) },
    ...rest,
    settings: {
      host: '127.0.0.1',
      port: 0,
      hostNames: [],
      repository: repository ?? null,
      allowedRoots: repository === undefined ? [] : [repository],
      allowedUrls: [],
      dashboardDirectory: null,
      ...settings,
    },
  });
  onTestFinished(() => server.stop());
  const { url } = server;
  const token = readFileSync(server.tokenFile, 'utf8').trim();
  return {
    url,
    token,
    client: createClient({ baseUrl: url, token }),
    server,
    carrel,
    environment: carrel.env,
    log,
    fetch: (path, init = {}) =>
      fetch(url + path, { ...init, headers: { authorization: `Bearer ${token}`, ...init.headers } }),
    stop: () => server.stop(),
  };
}
