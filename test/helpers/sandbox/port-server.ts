import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { BINARY } from '../carrel.js';
import type { Fixture } from '../workspace/test-workspace.js';

/** An HTTP server on the first port of its workspace plus an offset; ends with its input. */
const SERVER = `
const port = Number(process.env.CARREL_PORT) + Number(process.argv[1]);
require('node:http').createServer((_, answer) => answer.end(process.argv[2])).listen(port, '127.0.0.1', () => console.log('listening'));
process.stdin.on('end', () => process.exit(0)).resume();`;

export interface PortServer {
  readonly child: ChildProcess;
  stderr(): string;
  /** Ends the server and gives the exit status of the command. */
  stop(): Promise<number | null>;
}

/** Starts it as a command of the workspace, with the real command; comes back when it listens. */
export async function startServer(
  { carrel, repository }: Pick<Fixture, 'carrel' | 'repository'>,
  node: string,
  { offset = 0, says = 'hello' } = {},
): Promise<PortServer> {
  const args = [BINARY, 'exec', 'a', '--', node, '-e', SERVER, String(offset), says];
  const child = spawn(process.execPath, args, { cwd: repository, env: carrel.env, stdio: 'pipe' });
  const closed = once(child, 'close');
  let stderr = '';
  child.stderr.on('data', chunk => (stderr += chunk));
  const [first] = await Promise.race([once(child.stdout, 'data'), closed]);
  if (!String(first).startsWith('listening')) throw new Error(`no server: ${stderr}`);
  const stop = async (): Promise<number | null> => {
    child.stdin.end();
    return (await closed)[0];
  };
  return { child, stderr: () => stderr, stop };
}

/** What the server says; or the code of the error. */
export async function ask(port: number): Promise<string> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/`, { headers: { connection: 'close' } });
    return await answer.text();
  } catch (error) {
    return String((error as { cause?: { code?: string } }).cause?.code);
  }
}
