import type { AppOptions } from '../app.js';
import type { ServerSettings } from './server-context.js';

export interface ServeOptions {
  readonly settings: ServerSettings;
  readonly environment: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Where the token is; made when it is not there. <state>/server/token by default. */
  readonly tokenFile?: string | undefined;
  readonly logLevel?: 'debug' | 'info' | 'warn' | 'error' | 'silent' | undefined;
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
