import { lstat, readdir, readlink, stat } from 'node:fs/promises';

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

/** Looks at the root and at /etc, which a package manager changes at any time: to be read for every sandbox. */
export async function readSystemLayout(): Promise<SystemLayout> {
  const [places, settings, networkSettings, ofJava] = await Promise.all([
    Promise.all(PLACES.map(findPlace)),
    keepExisting(SETTINGS),
    keepExisting(NETWORK_SETTINGS),
    listJavaSettings(),
  ]);
  const found = places.filter(place => place !== undefined);
  return {
    links: found.flatMap(({ path, target }) => (target === undefined ? [] : [{ path, target }])),
    directories: found.flatMap(({ path, target }) => (target === undefined ? [path] : [])),
    settings: [...settings, ...ofJava],
    networkSettings,
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

async function findPlace(path: string): Promise<{ path: string; target?: string } | undefined> {
  const stats = await lstat(path).catch(() => undefined);
  if (stats?.isSymbolicLink()) return { path, target: await readlink(path) };
  return stats?.isDirectory() ? { path } : undefined;
}

async function keepExisting(paths: readonly string[]): Promise<string[]> {
  // Not lstat: a link to nowhere can't be bound.
  const found = await Promise.all(paths.map(path => stat(path).catch(() => undefined)));
  return paths.filter((_, index) => found[index]);
}

/** Debian's Java finds its `java.security` here through links in /usr, and does not start without. */
async function listJavaSettings(): Promise<string[]> {
  const names = await readdir('/etc').catch(() => []);
  return names.filter(name => /^java-\d+-openjdk$/.test(name)).map(name => `/etc/${name}`);
}
