import { INSIDE, type Policy } from '../policy.js';

/** Files of /etc that are Carrel's own inside, by their paths there. */
export type OwnEtc = Readonly<Record<'/etc/passwd' | '/etc/group' | '/etc/hosts', string>>;

/**
 * Their contents. The host's would tell who has an account here, and what the neighbouring machines are called; without
 * any, nobody would know `localhost` or have a name.
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

/** What files of everybody else look like inside a user namespace. */
const NOBODY = 65_534;

const lines = (all: readonly string[]): string => `${all.join('\n')}\n`;
