import type { Policy } from '../policy.js';
import { type ProfileOptions, renderProfile } from './profile.js';

export interface SeatbeltOptions extends ProfileOptions {
  readonly command: readonly string[];
}

/**
 * The policy as arguments of sandbox-exec, followed by the command. A value of `-D` may contain any character: it is
 * always a string, never a rule.
 */
export function seatbeltArguments(
  policy: Pick<Policy, 'mounts' | 'network'>,
  options: SeatbeltOptions,
): string[] {
  const { text, parameters } = renderProfile(policy, options);
  const definitions = [...parameters].flatMap(([name, value]) => ['-D', `${name}=${value}`]);
  return ['-p', text, ...definitions, '--', ...innerCommand(options.command)];
}

/** The descriptor on which the shell inside reports that the sandbox has started. */
const STARTED_DESCRIPTOR = 3;
export const STARTED = 'started\n';

/**
 * A shell that reports this and then becomes the command. Without it, a sandbox that could not be created would look
 * like a command with that exit status, and a missing program would not be status 127.
 */
const innerCommand = (command: readonly string[]): string[] => [
  ...[
    '/bin/sh',
    '-c',
    `echo started >&${STARTED_DESCRIPTOR}; exec ${STARTED_DESCRIPTOR}>&-; exec "$@"`,
    'sh',
  ],
  ...command,
];
