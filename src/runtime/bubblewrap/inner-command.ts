/** Bubblewrap's first process inside, and the one that becomes the command. */
const OWN_PROCESSES = 2;

/**
 * What bubblewrap starts inside: a program that becomes the command, so that a missing command
 * (127) or one that is not executable (126) differ, as in shells, from a failed sandbox: bubblewrap itself
 * exits with 1 for both. It also sets the limit on processes, which counts within the sandbox only if it is
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
  // `env` treats a word with an equals sign as a variable.
  if (command[0]?.includes('=')) return ['/bin/sh', '-c', 'exec "$@"', 'sh', ...command];
  return ['/usr/bin/env', '--', ...command];
}
