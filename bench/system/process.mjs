import { execFile, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * The environment of every child. NODE_EXTRA_CA_CERTS makes Node read certificates at each start (75 ms on one machine)
 * and has nothing to do with what is measured; the user's git settings could change what git does.
 */
export function childEnvironment(additions = {}) {
  const { NODE_EXTRA_CA_CERTS, NODE_OPTIONS, ...inherited } = process.env;
  const own = Object.entries(inherited).filter(([name]) => !/^(GIT|CARREL)_/.test(name));
  return {
    ...Object.fromEntries(own),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_AUTHOR_NAME: 'Bench',
    GIT_AUTHOR_EMAIL: 'bench@example.com',
    GIT_COMMITTER_NAME: 'Bench',
    GIT_COMMITTER_EMAIL: 'bench@example.com',
    ...additions,
  };
}

/** What a command prints, without the last line's end. Throws when it fails. */
export async function readOutput(command, args, options) {
  const { stdout } = await run(command, args, { maxBuffer: 1024 ** 3, ...options });
  return stdout.trimEnd();
}

/**
 * Runs a command to its end and throws when it fails. Nothing is piped, because reading a pipe would be part of the
 * time; what it says about a failure goes to a file. It has `descriptors` as 3, 4, ...
 */
export async function runToEnd(command, args, options) {
  const { cwd, env, descriptors = [], errorFile = join(env.BENCH_HOME, 'stderr') } = options;
  const stderr = openSync(errorFile, 'w');
  try {
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'ignore', stderr, ...descriptors] });
    const status = await new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code, signal) => resolve(code ?? signal));
    });
    if (status !== 0) throw new Error(`${[command, ...args].join(' ')}: ${status}: ${lastLine(errorFile)}`);
  } finally {
    closeSync(stderr);
  }
}

const lastLine = file => readFileSync(file, 'utf8').trim().split('\n').at(-1);
