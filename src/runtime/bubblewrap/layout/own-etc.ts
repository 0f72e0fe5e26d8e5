import { INSIDE, type Policy } from '../../policy.js';

/** Files of /etc that Carrel replaces inside, by their paths there. */
export type OwnEtc = Readonly<Record<'/etc/passwd' | '/etc/group' | '/etc/hosts', string>> & {
  /** For its own network. */
  readonly '/etc/resolv.conf'?: string;
};

/**
 * Their contents. The host's files would reveal the accounts here and the names of neighbouring machines; without any, `localhost` and
 * user names would not resolve.
 */
export function renderOwnEtc({ uid, gid }: Policy['user'], hostname: string): OwnEtc {
  return {
    '/etc/passwd': lines([
      `${uid === 0 ? 'root' : 'agent'}:x:${uid}:${gid}::${INSIDE.home}:/bin/sh`,
      ...(uid === 0 ? [] : ['root:x:0:0::/root:/bin/sh']),
      ...(uid === NOBODY ? [] : [`nobody:x:${NOBODY}:${NOBODY}::/nonexistent:/bin/false`]),
    ]),
    '/etc/group': lines([
      `${gid === 0 ? 'root' : 'agent'}:x:${gid}:`,
      ...(gid === 0 ? [] : ['root:x:0:']),
      ...(gid === NOBODY ? [] : [`nogroup:x:${NOBODY}:`]),
    ]),
    '/etc/hosts': lines([
      '127.0.0.1 localhost',
      '::1 localhost ip6-localhost ip6-loopback',
      `127.0.1.1 ${hostname}`,
    ]),
  };
}

/** The owner that other users' files have inside a user namespace. */
const NOBODY = 65_534;

const lines = (all: readonly string[]): string => `${all.join('\n')}\n`;
