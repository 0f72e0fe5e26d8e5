// The command line as a process. bin/carrel.cjs loads it.
import { isatty } from 'node:tty';
import { asksForJson } from './command-line.js';
import { exitCodes } from './exit-code.js';
import { listenForInterruption } from './interruption.js';
import { createOutput, watchStream } from './output.js';
import { reportError } from './report-error.js';
import { runCommandLine } from './run-command-line.js';
import type { Surroundings } from './session.js';

const environment = Object.fromEntries(
  Object.entries(process.env).filter((pair): pair is [string, string] => pair[1] !== undefined),
);
const output = createOutput(process.stdout, process.stderr, environment);

const readerGone = watchStream(process.stdout, error => {
  output.narrate(`carrel: the answer could not be written: ${error.message}`);
  process.on('exit', () => {
    process.exitCode ||= exitCodes.environment;
  });
});
// Without stderr there is nobody to tell.
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
  // Not process.stdin.isTTY: touching process.stdin would begin to read what may be meant for a child.
  isInteractive: isatty(0) && isatty(2),
  ownCommand: [process.execPath, ...process.argv.slice(1, 2)],
};

// What is thrown where nobody waits for it is a bug, and is told like one.
process.on('uncaughtException', error => process.exit(reportError(error, surroundings, asksForJson(argv))));

runCommandLine(argv, surroundings).then(exitCode => {
  process.exitCode = exitCode;
});

/** Agents that go on with nobody who watches them would spend and change things until somebody finds them. */
async function exitAtOnce(code: number): Promise<void> {
  try {
    const [{ killCommandsOf }, { identifyProcess }] = await Promise.all([
      import('../exec/orphans.js'),
      import('../exec/process-identity.js'),
    ]);
    const self = identifyProcess(process.pid);
    if (self) killCommandsOf(self);
  } finally {
    process.exit(code);
  }
}
