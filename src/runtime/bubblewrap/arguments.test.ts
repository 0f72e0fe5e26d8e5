import { expect, it } from 'vitest';
import type { Policy } from '../policy.js';
import { type BubblewrapOptions, bubblewrapArguments, hideArguments } from './arguments.js';

const POLICY: Policy = {
  root: { kind: 'machine' },
  mounts: [
    { kind: 'bind', from: '/state/home', to: '/home/agent', writable: true },
    { kind: 'bind', from: '/repo/.git/objects', to: '/run/carrel/parent/objects', writable: false },
    { kind: 'bind', from: '/cache/a', to: '/cache/a', writable: true },
    { kind: 'bind', from: '/state/git', to: '/run/carrel/git', writable: true },
    { kind: 'bind', from: '/state/pointer', to: '/cache/a/.git', writable: false },
  ],
  environment: { HOME: '/home/agent', PATH: '/usr/bin' },
  workingDirectory: '/cache/a',
  hostname: 'carrel-a',
  user: { uid: 1000, gid: 1000 },
  network: 'none',
  limits: {},
  enforcement: 'enforce',
  nested: false,
  privileged: false,
};

const OPTIONS: BubblewrapOptions = {
  layout: {
    links: [{ path: '/bin', target: 'usr/bin' }],
    directories: ['/usr', '/opt'],
    settings: ['/etc/ld.so.cache', '/etc/ssl/certs'],
    networkSettings: ['/etc/resolv.conf', '/etc/hosts'],
    kernel: {
      hiddenFiles: ['/proc/keys'],
      hiddenDirectories: ['/proc/acpi'],
      readOnly: ['/proc/sys'],
    },
  },
  ownEtc: {
    '/etc/passwd': '/state/etc/passwd',
    '/etc/group': '/state/etc/group',
    '/etc/hosts': '/state/etc/hosts',
  },
  seccompDescriptor: 3,
  statusDescriptor: 4,
  disableUserns: true,
  canSize: true,
  canOverlay: true,
  callerIsRoot: false,
  scratchBytes: 1_000_000_000,
  command: ['git', 'status'],
};

const render = (policy: Partial<Policy> = {}, options: Partial<BubblewrapOptions> = {}): string =>
  bubblewrapArguments({ ...POLICY, ...policy }, { ...OPTIONS, ...options })
    .join(' ')
    .replaceAll(/ (?=--)/g, '\n');

/** The lines that only one of them has, with - and +. */
function compare(before: string, after: string): string[] {
  const [old, now] = [before.split('\n'), after.split('\n')];
  return [
    ...old.filter(line => !now.includes(line)).map(line => `- ${line}`),
    ...now.filter(line => !old.includes(line)).map(line => `+ ${line}`),
  ];
}

it('renders a policy without network, with all arguments in order', () => {
  expect(render()).toMatchInlineSnapshot(`
    "--unshare-user
    --unshare-pid
    --unshare-ipc
    --unshare-uts
    --unshare-cgroup-try
    --unshare-net
    --disable-userns
    --cap-drop ALL
    --die-with-parent
    --new-session
    --hostname carrel-a
    --uid 1000
    --gid 1000
    --clearenv
    --setenv HOME /home/agent
    --setenv PATH /usr/bin
    --ro-bind /usr /usr
    --ro-bind /opt /opt
    --symlink usr/bin /bin
    --ro-bind /etc/ld.so.cache /etc/ld.so.cache
    --ro-bind /etc/ssl/certs /etc/ssl/certs
    --ro-bind /state/etc/passwd /etc/passwd
    --ro-bind /state/etc/group /etc/group
    --ro-bind /state/etc/hosts /etc/hosts
    --proc /proc
    --ro-bind /proc/sys /proc/sys
    --ro-bind /dev/null /proc/keys
    --tmpfs /proc/acpi
    --remount-ro /proc/acpi
    --dev /dev
    --perms 1777
    --size 1000000000
    --tmpfs /tmp
    --perms 1777
    --size 1000000000
    --tmpfs /var/tmp
    --perms 1777
    --size 1000000000
    --tmpfs /dev/shm
    --size 16777216
    --tmpfs /run
    --bind /state/home /home/agent
    --ro-bind /repo/.git/objects /run/carrel/parent/objects
    --bind /cache/a /cache/a
    --bind /state/git /run/carrel/git
    --ro-bind /state/pointer /cache/a/.git
    --remount-ro /dev
    --remount-ro /
    --seccomp 3
    --json-status-fd 4
    --chdir /cache/a
    -- git status"
  `);
});

it('keeps the network and resolver of the host when the policy says so', () => {
  expect(compare(render(), render({ network: 'host' }))).toMatchInlineSnapshot(`
    [
      "- --unshare-net",
      "- --ro-bind /state/etc/hosts /etc/hosts",
      "+ --ro-bind /etc/resolv.conf /etc/resolv.conf",
      "+ --ro-bind /etc/hosts /etc/hosts",
    ]
  `);
});

it('has its own resolver in its own network, and no other', () => {
  const ownEtc = { ...OPTIONS.ownEtc, '/etc/resolv.conf': '/state/etc/resolv' };
  expect(compare(render(), render({ network: 'full' }, { ownEtc }))).toMatchInlineSnapshot(`
    [
      "- --unshare-net",
      "- --ro-bind /state/etc/hosts /etc/hosts",
      "+ --ro-bind /etc/hosts /etc/hosts",
      "+ --ro-bind /state/etc/resolv /etc/resolv.conf",
    ]
  `);
  expect(render({}, { ownEtc })).toBe(render());
});

it('allows namespaces and an open /proc when the policy allows nested sandboxes', () => {
  expect(compare(render(), render({ nested: true }))).toMatchInlineSnapshot(`
    [
      "- --disable-userns",
      "- --ro-bind /proc/sys /proc/sys",
      "- --ro-bind /dev/null /proc/keys",
      "- --tmpfs /proc/acpi",
      "- --remount-ro /proc/acpi",
    ]
  `);
});

it('always covers kernel settings for root', () => {
  expect(render({ nested: true }, { callerIsRoot: true })).toContain('--ro-bind /proc/sys /proc/sys');
});

it('mounts a repository surgically: read-only, with its git directory writable, and hooks and config read-only', () => {
  const mounts: Policy['mounts'] = [
    { kind: 'bind', from: '/repo', to: '/repo', writable: false },
    { kind: 'bind', from: '/repo/.git', to: '/repo/.git', writable: true },
    { kind: 'bind', from: '/repo/.git/hooks', to: '/repo/.git/hooks', writable: false },
    { kind: 'bind', from: '/repo/.git/config', to: '/repo/.git/config', writable: false },
    { kind: 'tmpfs', to: '/repo/secrets', bytes: 4096 },
  ];
  expect(compare(render({ mounts: [] }), render({ mounts }))).toMatchInlineSnapshot(`
    [
      "+ --ro-bind /repo /repo",
      "+ --bind /repo/.git /repo/.git",
      "+ --ro-bind /repo/.git/hooks /repo/.git/hooks",
      "+ --ro-bind /repo/.git/config /repo/.git/config",
      "+ --size 4096",
      "+ --tmpfs /repo/secrets",
    ]
  `);
});

it('takes user, environment, working directory and terminal of a command', () => {
  const now = render(
    { user: { uid: 0, gid: 0 } },
    { environment: { TERM: 'xterm', PATH: '/bin' }, workingDirectory: '/cache/a/b', terminal: true },
  );
  expect(compare(render(), now)).toMatchInlineSnapshot(`
    [
      "- --new-session",
      "- --uid 1000",
      "- --gid 1000",
      "- --setenv PATH /usr/bin",
      "- --chdir /cache/a",
      "+ --uid 0",
      "+ --gid 0",
      "+ --setenv PATH /bin",
      "+ --setenv TERM xterm",
      "+ --chdir /cache/a/b",
    ]
  `);
});

it('hides the neighbours of what is kept below a directory of the system', () => {
  const mounts: Policy['mounts'] = [
    { kind: 'bind', from: '/opt/work/p/a', to: '/opt/work/p/a', writable: true },
    { kind: 'bind', from: '/usr/local/state/x/git', to: '/run/carrel/git', writable: true },
    { kind: 'bind', from: '/usr/lib/carrel/relay.js', to: '/run/carrel/relay.js', writable: false },
  ];
  expect(compare(render({ mounts: [] }), render({ mounts }))).toMatchInlineSnapshot(`
    [
      "+ --tmpfs /opt/work",
      "+ --tmpfs /usr/local/state",
      "+ --bind /opt/work/p/a /opt/work/p/a",
      "+ --bind /usr/local/state/x/git /run/carrel/git",
      "+ --ro-bind /usr/lib/carrel/relay.js /run/carrel/relay.js",
      "+ --remount-ro /opt/work",
      "+ --remount-ro /usr/local/state",
    ]
  `);
});

it('creates overlays where bubblewrap supports them', () => {
  const mounts: Policy['mounts'] = [
    { kind: 'overlay', lower: '/pool/base', upper: '/pool/1/upper', work: '/pool/1/work', to: '/cache/a' },
  ];
  expect(compare(render({ mounts: [] }), render({ mounts }))).toMatchInlineSnapshot(`
    [
      "+ --overlay-src /pool/base",
      "+ --overlay /pool/1/upper /pool/1/work /cache/a",
    ]
  `);
  expect(() => render({ mounts }, { canOverlay: false })).toThrow(REFUSED);
});

it('leaves out options that an older bubblewrap lacks, and refuses what needs them', () => {
  expect(compare(render(), render({}, { canSize: false, disableUserns: false }))).toMatchInlineSnapshot(`
    [
      "- --disable-userns",
      "- --size 1000000000",
      "- --size 1000000000",
      "- --size 1000000000",
      "- --size 16777216",
    ]
  `);
  const mounts: Policy['mounts'] = [{ kind: 'tmpfs', to: '/x', bytes: 1 }];
  expect(() => render({ mounts }, { canSize: false })).toThrow(REFUSED);
});

it('refuses an image', () => {
  expect(() => render({ root: { kind: 'image', image: 'debian' } })).toThrow(REFUSED);
});

it('keeps everything but the command out of the arguments that others can see', () => {
  const all = bubblewrapArguments({ ...POLICY, environment: { KEY: 'secret' } }, OPTIONS);
  const { args, data } = hideArguments(all, OPTIONS.command, 5);
  expect(args).toEqual(['--args', '5', '--', 'git', 'status']);
  expect(data.toString().split('\0').slice(0, -1)).toEqual(all.slice(0, -3));
  expect(data.toString()).toContain('--setenv\0KEY\0secret\0');
});

const REFUSED = expect.objectContaining({ code: 'SANDBOX_REFUSED' }) as Error;
