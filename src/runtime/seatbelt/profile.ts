import { dirname } from 'node:path';
import type { Policy } from '../policy.js';
import { refused } from './expressible.js';
import { FULL_NETWORK, NO_NETWORK, proxyNetwork, SYSTEM_RULES } from './system-rules.js';

export interface ProfileOptions {
  /** Directories of the user and of Carrel, of which only what the policy names is visible. */
  readonly hidden: readonly string[];
  /** The port on this machine where the proxy of the allowlist listens. */
  readonly proxyPort?: number | undefined;
}

export interface Profile {
  /** Rules in SBPL. The last matching rule decides. Paths are written as `(param "NAME")`, never as text. */
  readonly text: string;
  readonly parameters: ReadonlyMap<string, string>;
}

type SeatbeltPolicy = Pick<Policy, 'mounts' | 'network'>;

/** The policy as rules; `requireExpressible` must have accepted it. SANDBOX_REFUSED for an invalid port. */
export function renderProfile(policy: SeatbeltPolicy, options: ProfileOptions): Profile {
  const parameters = new Map<string, string>();
  const name = (prefix: string, path: string): string => {
    const known = [...parameters].find(([, value]) => value === path)?.[0];
    const key = known ?? `${prefix}_${parameters.size}`;
    parameters.set(key, path);
    return `(param "${key}")`;
  };
  const text = [
    SYSTEM_RULES,
    hideRules(options.hidden, name),
    ...policy.mounts.map(({ to, ...mount }) =>
      showRules(name('PATH', to), 'writable' in mount && mount.writable),
    ),
    passRules(policy, name),
    pinRules(policy, name),
    networkRules(policy, options),
  ].join('');
  return { text, parameters };
}

type Name = (prefix: string, path: string) => string;

/** They may be below a system directory, such as /opt. */
function hideRules(hidden: readonly string[], name: Name): string {
  if (hidden.length === 0) return '';
  const paths = hidden.map(path => `\n  (subpath ${name('HIDDEN', path)})`);
  return `\n; nothing else of the user\n(deny file-read* file-write* file-map-executable${paths.join('')})\n`;
}

const showRules = (path: string, isWritable: boolean): string =>
  isWritable
    ? `\n(allow file-read* file-write* file-map-executable (subpath ${path}))
(allow network-bind network-inbound (local unix-socket (subpath ${path})))
(allow network-outbound (remote unix-socket (subpath ${path})))\n`
    : `\n(allow file-read* file-map-executable (subpath ${path}))\n(deny file-write* (subpath ${path}))\n`;

/** Programs stat every parent of their working directory. The names in it are not visible. */
function passRules({ mounts }: SeatbeltPolicy, name: Name): string {
  const above = [...new Set(mounts.flatMap(({ to }) => ancestorsOf(to)))].sort();
  if (above.length === 0) return '';
  return `\n(allow file-read-metadata${above.map(path => `\n  (literal ${name('ABOVE', path)})`).join('')})\n`;
}

/**
 * Does what a mount point does elsewhere: neither it nor a writable directory that contains it can be renamed, removed
 * or replaced; otherwise the rules for its path would apply to something else.
 */
function pinRules({ mounts }: SeatbeltPolicy, name: Name): string {
  const writable = mounts.flatMap(mount => ('writable' in mount && mount.writable ? [mount.to] : []));
  const isBelowWritable = (path: string) =>
    writable.some(root => path === root || path.startsWith(`${root}/`));
  const pinned = new Set(mounts.flatMap(({ to }) => [to, ...ancestorsOf(to)]).filter(isBelowWritable));
  const paths = [...pinned].sort().map(path => `\n  (literal ${name('PIN', path)})`);
  const pins = paths.length > 0 ? `(deny file-write-create file-write-unlink${paths.join('')})\n` : '';
  return `\n${pins}(deny file-link)\n`;
}

/** Without the root, which every program sees. */
function ancestorsOf(path: string): string[] {
  const parent = dirname(path);
  return parent === '/' ? [] : [parent, ...ancestorsOf(parent)];
}

function networkRules({ network }: SeatbeltPolicy, { proxyPort }: ProfileOptions): string {
  if (network === 'host') return FULL_NETWORK;
  if (proxyPort === undefined) return NO_NETWORK;
  if (Number.isInteger(proxyPort) && proxyPort > 0 && proxyPort < 65_536) return proxyNetwork(proxyPort);
  throw refused(`${proxyPort} is not a port`);
}
