import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { type AppOptions, openApp } from '../../app.js';
import { openConnection } from './connection/open-agent-connection.js';
import { createServer } from './create-mcp-server.js';

export interface ServeMcpOptions {
  readonly environment: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** A directory in the repository that the agent may work on. */
  readonly repository: string;
  readonly stdin: NodeJS.ReadableStream;
  /** Used only for the protocol. */
  readonly stdout: NodeJS.WritableStream;
  /** For messages that belong to no call. */
  readonly narrate?: ((line: string) => void) | undefined;
  readonly ownCommand?: AppOptions['ownCommand'];
  readonly signal: AbortSignal;
}

/**
 * Serves the workspaces and tasks of one repository to an agent, until standard input ends or `signal` is aborted. Running
 * calls are then aborted, and have stopped when this returns. Detached tasks continue.
 */
export async function serveMcp(options: ServeMcpOptions): Promise<void> {
  const { environment, cwd, repository, narrate, ownCommand } = options;
  const transport = new StdioServerTransport(options.stdin as Readable, options.stdout as Writable);
  const over = untilOver(options);
  const connection = openConnection(repository, () =>
    openApp({ environment, cwd, narrate, ownCommand, expects: repository }),
  );
  const handle = serveStdio(() => createServer(connection), {
    transport,
    onerror: error => narrate?.(`warning: ${describeProblem(error)}`),
  });
  await over;
  // Before the transport closes, so that aborted calls can still be answered.
  await connection.close();
  await handle.close();
}

/** The library describes an invalid message in a hundred lines. */
const describeProblem = ({ name, message }: Error): string =>
  name === 'ZodError' ? 'a line on standard input is not a valid MCP message' : message;

/** Either stdin or stdout may close. */
function untilOver({ stdin, stdout, signal }: ServeMcpOptions): Promise<void> {
  return new Promise(resolve => {
    const end = () => resolve();
    for (const event of ['end', 'close', 'error']) stdin.once(event, end);
    for (const event of ['close', 'error']) stdout.once(event, end);
    if (signal.aborted) end();
    signal.addEventListener('abort', end, { once: true });
  });
}
