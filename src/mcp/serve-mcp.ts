import type { AppOptions } from '../app.js';

export interface ServeMcpOptions {
  readonly environment: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** A directory in the repository that the agent may work on. */
  readonly repository: string;
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: NodeJS.WritableStream;
  readonly ownCommand?: AppOptions['ownCommand'];
  readonly signal: AbortSignal;
}

export async function serveMcp(_options: ServeMcpOptions): Promise<void> {}
