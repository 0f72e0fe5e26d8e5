import { existsSync, lstatSync, readdirSync, readlinkSync } from 'node:fs';

/** Which parts of the machine's file system are visible inside, read-only. */
export interface SystemLayout {
  /** `/bin -> usr/bin` and the like, where /usr is merged. */
  readonly links: readonly { readonly path: string; readonly target: string }[];
  readonly directories: readonly string[];
  /** Below /etc: what programs need to run at all. */
  readonly settings: readonly string[];
  /** Below /etc: what they need to find others on the host's network. */
  readonly networkSettings: readonly string[];
  /** Below /proc: what belongs to the whole machine. */
  readonly kernel: {
    readonly hiddenFiles: readonly string[];
    readonly hiddenDirectories: readonly string[];
    readonly readOnly: readonly string[];
  };
}

/**
 * Reads the root and /etc, which a package manager may change at any time, so this runs for every sandbox. Synchronous:
 * for these few names, threads would cost five times as much (measured with Node 20).
 */
export async function readSystemLayout(): Promise<SystemLayout> {
  const places = PLACES.flatMap(findPlace);
  return {
    links: places.flatMap(({ path, target }) => (target === undefined ? [] : [{ path, target }])),
    directories: places.flatMap(({ path, target }) => (target === undefined ? [path] : [])),
    settings: [...SETTINGS.filter(existsSync), ...listJavaSettings()],
    networkSettings: NETWORK_SETTINGS.filter(existsSync),
    kernel: {
      hiddenFiles: HIDDEN_FILES.filter(existsSync),
      hiddenDirectories: HIDDEN_DIRECTORIES.filter(existsSync),
      readOnly: READ_ONLY.filter(existsSync),
    },
  };
}

// As container engines do. Root owns these files, so no mode protects them from it.
const HIDDEN_FILES = [
  ...['/proc/kcore', '/proc/keys', '/proc/latency_stats', '/proc/timer_list', '/proc/timer_stats'],
  ...['/proc/sched_debug', '/proc/sysrq-trigger', '/proc/kmsg', '/proc/interrupts'],
];
const HIDDEN_DIRECTORIES = ['/proc/acpi', '/proc/asound', '/proc/scsi'];
const READ_ONLY = ['/proc/sys', '/proc/bus', '/proc/fs', '/proc/irq'];

const PLACES = [
  ...['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'],
  // Where tool chains are installed that are not system packages.
  ...['/opt', '/nix/store'],
];

/**
 * Nothing that may contain a secret: not `private` in /etc/ssl, which root could read; no gitconfig, which may name
 * programs; no npmrc or pip.conf, which may contain tokens. passwd, group and hosts are replaced (own-etc.ts).
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

/** Debian's Java finds its `java.security` here through links in /usr, and does not start without it. */
function listJavaSettings(): string[] {
  const names = readdirSync('/etc').filter(name => /^java-\d+-openjdk$/.test(name));
  return names.map(name => `/etc/${name}`);
}
