import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { type AppOptions, openApp } from '../app.js';
import { createServer } from './create-server.js';
import { openDesk } from './open-desk.js';

export interface ServeMcpOptions {
  readonly environment: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** A directory in the repository that the agent may work on. */
  readonly repository: string;
  readonly stdin: NodeJS.ReadableStream;
  /** For the protocol alone. */
  readonly stdout: NodeJS.WritableStream;
  /** Told of what is no answer to anybody. */
  readonly narrate?: ((line: string) => void) | undefined;
  readonly ownCommand?: AppOptions['ownCommand'];
  readonly signal: AbortSignal;
}

/**
 * Serves the workspaces and tasks of one repository to an agent, until standard input ends or `signal` is aborted. What
 * was being done for the agent then is ended, and has ended when this returns; tasks that were detached go on.
 */
export async function serveMcp(options: ServeMcpOptions): Promise<void> {
  const { environment, cwd, repository, narrate, ownCommand } = options;
  const transport = new StdioServerTransport(options.stdin as Readable, options.stdout as Writable);
  const over = untilOver(options);
  const desk = openDesk(repository, () =>
    openApp({ environment, cwd, narrate, ownCommand, expects: repository }),
  );
  const handle = serveStdio(() => createServer(desk), {
    transport,
    onerror: error => narrate?.(`warning: ${describeProblem(error)}`),
  });
  await over;
  // Before the connection is closed: what ends by itself may still be answered, as after a signal.
  await desk.close();
  await handle.close();
}

/** What is no message of the protocol is described by the library in a hundred lines. */
const describeProblem = ({ name, message }: Error): string =>
  name === 'ZodError' ? 'a line of standard input is no message of the protocol' : message;

/** The reader may go away as well as the writer. */
function untilOver({ stdin, stdout, signal }: ServeMcpOptions): Promise<void> {
  return new Promise(resolve => {
    const end = () => resolve();
    for (const event of ['end', 'close', 'error']) stdin.once(event, end);
    for (const event of ['close', 'error']) stdout.once(event, end);
    if (signal.aborted) end();
    signal.addEventListener('abort', end, { once: true });
  });
}
