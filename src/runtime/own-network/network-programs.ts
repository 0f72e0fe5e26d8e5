import { dirname, join } from 'node:path';
import { carrelError } from '../../domain/error/error.js';
import { findProgramIn } from '../../exec/find-program.js';

/** Paths of the programs that create a separate network. */
export interface NetworkPrograms {
  readonly unshare: string;
  readonly nsenter: string;
  readonly ip: string;
  /** Transfers packets between the namespace and this machine's network, as an ordinary program. */
  readonly carrier: { readonly name: 'slirp4netns' | 'pasta'; readonly program: string };
}

export interface FindOptions {
  /** The caller's PATH. */
  readonly path: string;
  /** Directories that agents write; a program in there is not used. */
  readonly untrusted: readonly string[];
  readonly uid: number;
}

/** OWN_NETWORK_UNAVAILABLE names the package that is missing. */
export function requireNetworkPrograms(options: FindOptions): NetworkPrograms {
  const find = (name: string) =>
    findProgramIn(options.path, name, options.untrusted) ?? findProgramIn(SYSTEM, name, []);
  const require = (name: string, fromPackage: string): string => {
    const program = find(name);
    if (program === undefined) throw missing(`${name} is not installed`, fromPackage);
    return program;
  };
  return {
    carrier: requireCarrier(options, find),
    unshare: require('unshare', 'util-linux'),
    nsenter: require('nsenter', 'util-linux'),
    ip: require('ip', 'iproute2'),
  };
}

/** `ip` is often installed, but not in the PATH of an ordinary user. */
const SYSTEM = '/usr/sbin:/sbin';

/** As root, pasta drops its privileges before it opens the namespace, which it then may not enter. */
function requireCarrier(
  { uid }: FindOptions,
  find: (name: string) => string | undefined,
): NetworkPrograms['carrier'] {
  const slirp = find('slirp4netns');
  if (slirp !== undefined) return { name: 'slirp4netns', program: slirp };
  if (uid === 0) throw missing('slirp4netns is not installed', 'slirp4netns');
  const pasta = find('pasta');
  // It is a link to passt, which behaves by the name that it was called with.
  if (pasta !== undefined) return { name: 'pasta', program: join(dirname(pasta), 'pasta') };
  throw missing('neither slirp4netns nor pasta is installed', 'slirp4netns or passt');
}

const missing = (problem: string, fromPackage: string) =>
  carrelError('OWN_NETWORK_UNAVAILABLE', { problem, advice: `install the package ${fromPackage}` });
