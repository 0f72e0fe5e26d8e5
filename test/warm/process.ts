// The command line, kept warm: one process that runs one call after the other. `client.ts` starts it and speaks to it.
import { writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { listenForInterruption } from '../../src/surfaces/cli/exit/interruption.js';
import { runCommandLine } from '../../src/surfaces/cli/run-command-line.js';
import { createOutput, type Sink } from '../../src/surfaces/cli/terminal/output.js';
import { REQUESTS_FD, RESULTS_FD, type WarmCall } from './protocol.js';

/** Not process.stdout: what a command writes has to be in the file when its call ends. */
const sink = (fd: number): Sink => ({ write: chunk => writeWhole(fd, Buffer.from(chunk)) });

for await (const line of createInterface({ input: new Socket({ fd: REQUESTS_FD }) })) {
  const call = JSON.parse(line) as WarmCall;
  writeWhole(RESULTS_FD, Buffer.from(`${await runCall(call)}\n`));
}

async function runCall({ cwd, env, args, ownCommand }: WarmCall): Promise<number> {
  process.chdir(cwd);
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
  const output = createOutput(sink(1), sink(2), env);
  return runCommandLine(args, {
    environment: env,
    currentDirectory: () => process.cwd(),
    output,
    // The caller waits for the answer and can send no signal.
    interruption: listenForInterruption({
      listen: () => {},
      exit: process.exit,
      narrate: output.narrate,
    }),
    isInteractive: false,
    ownCommand,
  });
}

function writeWhole(fd: number, bytes: Buffer): void {
  for (let from = 0; from < bytes.length; ) from += writeSync(fd, bytes, from);
}
