import { describe, expect, test } from 'vitest';
import type { Mount } from '../policy.js';
import { seatbeltArguments } from './arguments.js';
import { type ProfileOptions, renderProfile } from './profile.js';
import { SYSTEM_RULES } from './system-rules.js';

const bind = (path: string, writable: boolean): Mount => ({ kind: 'bind', from: path, to: path, writable });

/** As build-policy.ts makes it for a worktree with a private git directory. */
const MOUNTS = [
  bind('/Users/me/.local/state/carrel/sandboxes/ws_a/home', true),
  bind('/Users/me/repo/.git/objects', false),
  bind('/Users/me/.cache/carrel/worktrees/repo/a', true),
  bind('/Users/me/.local/state/carrel/sandboxes/ws_a/git', true),
  bind('/Users/me/.cache/carrel/worktrees/repo/a/.git', false),
];
const HIDDEN = ['/Users/me', '/Users/me/.local/state/carrel'];

const render = (
  mounts: readonly Mount[],
  options: Partial<ProfileOptions> & { network?: 'none' | 'host' } = {},
) => renderProfile({ mounts, network: options.network ?? 'none' }, { hidden: HIDDEN, ...options });

/** The rules with the values of their parameters, without the rules of every profile. */
function readable({ text, parameters }: ReturnType<typeof render>): string {
  const own = text.slice(SYSTEM_RULES.length);
  return own.replaceAll(/\(param "(\w+)"\)/g, (_, name: string) => JSON.stringify(parameters.get(name)));
}

describe('the rules of a worktree', () => {
  test('show its parts, hide all other files of the user, and protect the .git file', () => {
    expect(readable(render(MOUNTS))).toMatchInlineSnapshot(`
      "
      ; nothing else of the user
      (deny file-read* file-write* file-map-executable
        (subpath "/Users/me")
        (subpath "/Users/me/.local/state/carrel"))

      (allow file-read* file-write* file-map-executable (subpath "/Users/me/.local/state/carrel/sandboxes/ws_a/home"))
      (allow network-bind network-inbound (local unix-socket (subpath "/Users/me/.local/state/carrel/sandboxes/ws_a/home")))
      (allow network-outbound (remote unix-socket (subpath "/Users/me/.local/state/carrel/sandboxes/ws_a/home")))

      (allow file-read* file-map-executable (subpath "/Users/me/repo/.git/objects"))
      (deny file-write* (subpath "/Users/me/repo/.git/objects"))

      (allow file-read* file-write* file-map-executable (subpath "/Users/me/.cache/carrel/worktrees/repo/a"))
      (allow network-bind network-inbound (local unix-socket (subpath "/Users/me/.cache/carrel/worktrees/repo/a")))
      (allow network-outbound (remote unix-socket (subpath "/Users/me/.cache/carrel/worktrees/repo/a")))

      (allow file-read* file-write* file-map-executable (subpath "/Users/me/.local/state/carrel/sandboxes/ws_a/git"))
      (allow network-bind network-inbound (local unix-socket (subpath "/Users/me/.local/state/carrel/sandboxes/ws_a/git")))
      (allow network-outbound (remote unix-socket (subpath "/Users/me/.local/state/carrel/sandboxes/ws_a/git")))

      (allow file-read* file-map-executable (subpath "/Users/me/.cache/carrel/worktrees/repo/a/.git"))
      (deny file-write* (subpath "/Users/me/.cache/carrel/worktrees/repo/a/.git"))

      (allow file-read-metadata
        (literal "/Users")
        (literal "/Users/me")
        (literal "/Users/me/.cache")
        (literal "/Users/me/.cache/carrel")
        (literal "/Users/me/.cache/carrel/worktrees")
        (literal "/Users/me/.cache/carrel/worktrees/repo")
        (literal "/Users/me/.cache/carrel/worktrees/repo/a")
        (literal "/Users/me/.local")
        (literal "/Users/me/.local/state")
        (literal "/Users/me/.local/state/carrel")
        (literal "/Users/me/.local/state/carrel/sandboxes")
        (literal "/Users/me/.local/state/carrel/sandboxes/ws_a")
        (literal "/Users/me/repo")
        (literal "/Users/me/repo/.git"))

      (deny file-write-create file-write-unlink
        (literal "/Users/me/.cache/carrel/worktrees/repo/a")
        (literal "/Users/me/.cache/carrel/worktrees/repo/a/.git")
        (literal "/Users/me/.local/state/carrel/sandboxes/ws_a/git")
        (literal "/Users/me/.local/state/carrel/sandboxes/ws_a/home"))
      (deny file-link)

      ; network: none
      "
    `);
  });

  test('begin with what every program needs', () => {
    expect(render([], { hidden: [] }).text.startsWith(SYSTEM_RULES)).toBe(true);
    expect(SYSTEM_RULES).toMatchInlineSnapshot(`
      "(version 1)
      (deny default)

      ; processes: what they start stays in this sandbox, and they reach nothing outside of it
      (allow process-fork)
      (allow process-exec)
      (allow process-info* (target same-sandbox))
      (allow signal (target same-sandbox))
      (allow ipc-posix-sem)
      (allow ipc-posix-shm-read* (ipc-posix-name "apple.shm.notification_center"))
      (allow mach-lookup
        (global-name "com.apple.system.logger")
        (global-name "com.apple.system.notification_center")
        (global-name "com.apple.system.opendirectoryd.libinfo")
        (global-name "com.apple.system.opendirectoryd.membership"))
      (allow sysctl-read
        (sysctl-name "kern.argmax")
        (sysctl-name "kern.hostname")
        (sysctl-name "kern.iossupportversion")
        (sysctl-name "kern.maxfilesperproc")
        (sysctl-name "kern.maxproc")
        (sysctl-name "kern.ngroups")
        (sysctl-name "kern.osproductversion")
        (sysctl-name "kern.osrelease")
        (sysctl-name "kern.ostype")
        (sysctl-name "kern.osvariant_status")
        (sysctl-name "kern.osversion")
        (sysctl-name "kern.secure_kernel")
        (sysctl-name "kern.usrstack64")
        (sysctl-name "kern.version")
        (sysctl-name "sysctl.proc_cputype")
        (sysctl-name "vm.loadavg")
        (sysctl-name-prefix "hw.")
        (sysctl-name-prefix "kern.proc.pgrp.")
        (sysctl-name-prefix "kern.proc.pid.")
        (sysctl-name-prefix "machdep.cpu."))

      ; devices
      (allow file-read* file-write-data
        (literal "/dev/null")
        (literal "/dev/zero"))
      (allow file-read*
        (literal "/dev/random")
        (literal "/dev/urandom")
        (subpath "/dev/fd"))
      (allow file-read* file-write-data file-ioctl
        (literal "/dev/dtracehelper")
        (literal "/dev/tty")
        (regex #"^/dev/ttys[0-9]+$"))
      (allow pseudo-tty)
      (allow file-read* file-write* file-ioctl (literal "/dev/ptmx"))

      ; the system's own programs and libraries, to be read and run
      (allow file-read-metadata
        (literal "/etc")
        (literal "/private")
        (literal "/private/etc")
        (literal "/private/var")
        (literal "/private/var/db")
        (literal "/private/var/select")
        (literal "/tmp")
        (literal "/private/tmp")
        (literal "/var")
        (literal "/Applications")
        (literal "/Library")
        (literal "/System")
        (literal "/System/Volumes")
        (literal "/System/Volumes/Preboot"))
      (allow file-read* file-map-executable
        (literal "/")
        (subpath "/bin")
        (subpath "/sbin")
        (subpath "/usr")
        (subpath "/opt")
        (subpath "/nix/store")
        (subpath "/Applications/Xcode.app/Contents/Developer")
        (subpath "/Library/Apple")
        (subpath "/Library/Developer")
        (subpath "/Library/Frameworks")
        (subpath "/Library/Java")
        (subpath "/System/Cryptexes")
        (subpath "/System/Library")
        (subpath "/System/Volumes/Preboot/Cryptexes")
        (subpath "/private/etc/ssl")
        (subpath "/private/var/db/dyld")
        (subpath "/private/var/db/timezone")
        (literal "/private/var/db/xcode_select_link")
        (literal "/private/var/select/developer_dir")
        (literal "/private/var/select/sh")
        (literal "/private/etc/localtime")
        (literal "/private/etc/protocols")
        (literal "/private/etc/services")
        (literal "/private/etc/shells"))
      "
    `);
  });

  test.each([
    'securityd',
    'cfprefsd',
    'launchservicesd',
    'procargs',
    '/Users',
    'Keychains',
    '(allow default)',
  ])('never have %s', word => {
    for (const network of ['none', 'host'] as const)
      expect(render(MOUNTS, { network }).text).not.toContain(word);
  });
});

describe('the network', () => {
  const network = (options: Parameters<typeof render>[1]) =>
    readable(render([], { hidden: [], ...options })).slice('\n(deny file-link)\n'.length);

  test('is none, only the port of the proxy, or all of it', () => {
    expect(network({})).toMatchInlineSnapshot(`
      "
      ; network: none
      "
    `);
    expect(network({ proxyPort: 61234 })).toMatchInlineSnapshot(`
      "
      ; network: the proxy and nothing else
      (allow network-outbound (remote ip "localhost:61234"))
      "
    `);
    expect(network({ network: 'host', proxyPort: 61234 })).toMatchInlineSnapshot(`
      "
      ; network: all of it
      (allow system-socket)
      (allow network-outbound (remote ip))
      (allow network-bind network-inbound (local ip))
      (allow network-outbound (remote unix-socket (path-literal "/private/var/run/mDNSResponder")))
      (allow file-read*
        (literal "/private/etc/hosts")
        (literal "/private/etc/resolv.conf")
        (literal "/private/var/run/resolv.conf"))
      (allow mach-lookup
        (global-name "com.apple.SystemConfiguration.configd")
        (global-name "com.apple.trustd.agent"))
      "
    `);
  });

  test.each([0, -1, 65_536, 1.5, Number.NaN])('%s is not a port', proxyPort => {
    expect(() => render([], { proxyPort })).toThrow('is not a port');
  });

  test('has a rule about addresses only when it has addresses', () => {
    const rules = (options: Parameters<typeof render>[1]) =>
      render(MOUNTS, options).text.match(/\S+ ip\b.*/g);
    expect(rules({})).toBeNull();
    expect(rules({ proxyPort: 8080 })).toEqual(['(remote ip "localhost:8080"))']);
  });
});

describe('order', () => {
  test('what is read-only within something writable comes after it', () => {
    const text = readable(render([bind('/w', true), bind('/w/a/b', false)]));
    expect(text.indexOf('(allow file-read* file-write* file-map-executable (subpath "/w"))')).toBeLessThan(
      text.indexOf('(deny file-write* (subpath "/w/a/b"))'),
    );
  });

  test("a directory that contains something protected can't be renamed either", () => {
    const text = readable(render([bind('/w', true), bind('/w/a/b', false), bind('/r/c', false)]));
    expect(/\(deny file-write-create file-write-unlink\n([^)]*\)\s*)*\)/.exec(text)?.[0]).toBe(
      '(deny file-write-create file-write-unlink\n  (literal "/w")\n  (literal "/w/a")\n  (literal "/w/a/b"))',
    );
  });
});

describe('hostile names', () => {
  const NAMES = [
    '/w/") (allow default) ("',
    '/w/a)(allow file-write* (subpath "x"',
    "/w/it's; (allow network*)",
    '/w/line\nbreak\n(allow default)',
    '/w/back\\slash\\"',
    '/w/tab\tand space',
    '/w/ünïcödé-日本-🙂',
    '/w/e\u0301-and-\u00e9',
    '/w/-D',
    '/w/a=b=c',
    '/w/(param "PATH_0")',
    '/w/#|comment|#;',
    '/w/\u0001\u007f',
  ];

  test.each(NAMES)('%j is a value and never a rule', name => {
    const { text, parameters } = render([bind(name, true), bind(`${name}/.git`, false)]);
    const plain = render([bind('/w/x', true), bind('/w/x/.git', false)]);
    expect(text).toBe(plain.text);
    expect([...parameters.values()]).toEqual(
      [...plain.parameters.values()].map(value => value.replace('/w/x', name)),
    );
    const args = seatbeltArguments(
      { mounts: [bind(name, true)], network: 'none' },
      { hidden: [], command: ['x'] },
    );
    expect(args[args.indexOf('-D') + 1]).toBe(`PATH_0=${name}`);
  });

  test.each(NAMES)('%j in the command stays one word', name => {
    const args = seatbeltArguments(
      { mounts: [], network: 'none' },
      { hidden: [], command: [name, '-p', '--'] },
    );
    expect(args.slice(2)).toEqual([
      ...['--', '/bin/sh', '-c', 'echo started >&3; exec 3>&-; exec "$@"', 'sh', name, '-p', '--'],
    ]);
  });

  test('rules are whole: every parenthesis and every quotation mark is closed', () => {
    for (const network of ['none', 'host'] as const) {
      const { text, parameters } = render(
        NAMES.map(name => bind(name, true)),
        { network },
      );
      const withoutText = text.replaceAll(/;.*/g, '').replaceAll(/#?"[^"]*"/g, '');
      expect(withoutText).toMatch(/^[\sa-zA-Z0-9()*-]*$/);
      expect(depthsOf(withoutText)).toEqual({ lowest: 0, last: 0 });
      for (const [, name] of text.matchAll(/\(param "(\w+)"\)/g))
        expect(parameters.has(name ?? '')).toBe(true);
    }
  });
});

function depthsOf(text: string): { lowest: number; last: number } {
  let [depth, lowest] = [0, 0];
  for (const letter of text) {
    if (letter === '(') depth++;
    if (letter === ')') depth--;
    lowest = Math.min(lowest, depth);
  }
  return { lowest, last: depth };
}
