import { existsSync, lstatSync, readdirSync, readlinkSync } from 'node:fs';

/** What of the machine's own file system is seen inside, read-only. */
export interface SystemLayout {
  /** `/bin -> usr/bin` and the like, where /usr is merged. */
  readonly links: readonly { readonly path: string; readonly target: string }[];
  readonly directories: readonly string[];
  /** Below /etc: what programs need to run at all. */
  readonly settings: readonly string[];
  /** Below /etc: what they need to find others on the host's network. */
  readonly networkSettings: readonly string[];
}

/**
 * Looks at the root and at /etc, which a package manager changes at any time: to be read for every sandbox. All at once
 * and not by threads, which for these few names would cost five times as much (seen with Node 20).
 */
export async function readSystemLayout(): Promise<SystemLayout> {
  const places = PLACES.flatMap(findPlace);
  return {
    links: places.flatMap(({ path, target }) => (target === undefined ? [] : [{ path, target }])),
    directories: places.flatMap(({ path, target }) => (target === undefined ? [path] : [])),
    settings: [...SETTINGS.filter(existsSync), ...listJavaSettings()],
    networkSettings: NETWORK_SETTINGS.filter(existsSync),
  };
}

const PLACES = [
  ...['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'],
  // Where whole tool chains are put that are no packages of the system.
  ...['/opt', '/nix/store'],
];

/**
 * Nothing that may hold a secret: of /etc/ssl not `private`, which root could read; no gitconfig, which may name
 * programs, no npmrc or pip.conf, which may hold tokens. passwd, group and hosts are our own (own-etc.ts).
 */
const SETTINGS = [
  ...['/etc/ld.so.cache', '/etc/ld.so.conf', '/etc/ld.so.conf.d', '/etc/ld-musl-x86_64.path'],
  ...['/etc/ld-musl-aarch64.path', '/etc/alternatives', '/etc/nsswitch.conf', '/etc/os-release'],
  ...['/etc/ssl/certs', '/etc/ssl/openssl.cnf', '/etc/ssl/cert.pem', '/etc/ca-certificates'],
  ...['/etc/pki/tls/certs', '/etc/pki/tls/openssl.cnf', '/etc/pki/ca-trust', '/etc/crypto-policies'],
  ...['/etc/localtime', '/etc/timezone', '/etc/locale.alias', '/etc/services', '/etc/protocols'],
  ...['/etc/mime.types', '/etc/shells', '/etc/terminfo', '/etc/inputrc', '/etc/fonts'],
];

const NETWORK_SETTINGS = ['/etc/resolv.conf', '/etc/hosts', '/etc/host.conf', '/etc/gai.conf'];

function findPlace(path: string): { path: string; target?: string }[] {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isSymbolicLink()) return [{ path, target: readlinkSync(path) }];
  return stats?.isDirectory() ? [{ path }] : [];
}

/** Debian's Java finds its `java.security` here through links in /usr, and does not start without. */
function listJavaSettings(): string[] {
  const names = readdirSync('/etc').filter(name => /^java-\d+-openjdk$/.test(name));
  return names.map(name => `/etc/${name}`);
}
