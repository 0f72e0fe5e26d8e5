/** Bubblewrap's first process inside, and the one that becomes the command. */
const OWN_PROCESSES = 2;

/**
 * What bubblewrap starts inside: a program that becomes the command and so lets one tell a command that is not there
 * (127) or is no program (126), as shells and containers do, from a sandbox that did not come to be: bubblewrap itself
 * ends with 1 for both. It also takes the limit on processes upon itself, which counts within the sandbox only if it is
 * set there.
 */
export function innerCommand(
  command: readonly string[],
  limits: { readonly prlimit: string | undefined; readonly pids: number | undefined },
): string[] {
  if (limits.prlimit !== undefined && limits.pids !== undefined) {
    const most = limits.pids + OWN_PROCESSES;
    return [limits.prlimit, `--nproc=${most}:${most}`, '--', ...command];
  }
  // `env` takes a word with an equals sign for a variable.
  if (command[0]?.includes('=')) return ['/bin/sh', '-c', 'exec "$@"', 'sh', ...command];
  return ['/usr/bin/env', '--', ...command];
}
