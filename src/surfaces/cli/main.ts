// The command line as a process. bin/carrel.cjs loads it.
import { isatty } from 'node:tty';
import type { Surroundings } from './cli-session.js';
import { asksForJson } from './command-line.js';
import { exitCodes } from './exit/exit-code.js';
import { listenForInterruption } from './exit/interruption.js';
import { reportError } from './exit/report-error.js';
import { runCommandLine } from './run-command-line.js';
import { createOutput, watchStream } from './terminal/output.js';

const environment = Object.fromEntries(
  Object.entries(process.env).filter((pair): pair is [string, string] => pair[1] !== undefined),
);
const output = createOutput(process.stdout, process.stderr, environment);

const readerGone = watchStream(process.stdout, error => {
  output.narrate(`carrel: cannot write the output: ${error.message}`);
  process.on('exit', () => {
    process.exitCode ||= exitCodes.environment;
  });
});
// Without stderr there is nowhere to report it.
watchStream(process.stderr, () => {});

const argv = process.argv.slice(2);
const surroundings: Surroundings = {
  environment,
  currentDirectory: () => process.cwd(),
  output,
  readerGone,
  interruption: listenForInterruption({
    listen: (signal, listener) => process.on(signal, listener),
    exit: exitAtOnce,
    narrate: output.narrate,
  }),
  // Not process.stdin.isTTY: accessing process.stdin starts reading input that may be meant for a child.
  isInteractive: isatty(0) && isatty(2),
  ownCommand: [process.execPath, ...process.argv.slice(1, 2)],
};

// An error that no code awaits is a bug and is reported as one.
process.on('uncaughtException', error => process.exit(reportError(error, surroundings, asksForJson(argv))));

runCommandLine(argv, surroundings).then(exitCode => {
  process.exitCode = exitCode;
});

/** Agents that keep running unwatched would spend money and change files until the user notices. */
async function exitAtOnce(code: number): Promise<void> {
  try {
    const [{ killCommandsOf }, { identifyProcess }] = await Promise.all([
      import('../../exec/stop/orphans.js'),
      import('../../exec/process/identify-process.js'),
    ]);
    const self = identifyProcess(process.pid);
    if (self) killCommandsOf(self);
  } finally {
    process.exit(code);
  }
}
