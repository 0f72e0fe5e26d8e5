import { expect, it } from 'vitest';
import type { Mount, Policy } from '../policy.js';
import { type ContainerOptions, containerArguments } from './arguments.js';

const POLICY: Policy = {
  root: { kind: 'machine' },
  mounts: [
    { kind: 'bind', from: '/state/home', to: '/home/agent', writable: true },
    { kind: 'bind', from: '/repo/.git/objects', to: '/run/carrel/parent/objects', writable: false },
    { kind: 'bind', from: '/cache/a', to: '/cache/a', writable: true },
    { kind: 'bind', from: '/state/pointer', to: '/cache/a/.git', writable: false },
  ],
  environment: { HOME: '/home/agent', KEY: 'secret' },
  workingDirectory: '/cache/a',
  hostname: 'carrel-a',
  user: { uid: 1000, gid: 1000 },
  network: 'none',
  limits: {},
  enforcement: 'enforce',
  nested: false,
  privileged: false,
};

const OPTIONS: ContainerOptions = {
  engine: 'podman',
  image: 'localhost/carrel-host:1',
  name: 'carrel-ws_1',
  labels: { 'carrel.workspace': 'ws_1' },
  seccompFile: '/state/seccomp.json',
  isRootless: false,
  scratchBytes: 1_000_000_000,
  hardLimits: { openFiles: 20_000, processes: -1 },
  command: ['sh', '-c', 'sleep 1000'],
};

const render = (policy: Partial<Policy> = {}, options: Partial<ContainerOptions> = {}): string =>
  containerArguments({ ...POLICY, ...policy }, { ...OPTIONS, ...options })
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

const mountOf = (from: string, engine: 'podman' | 'docker' = 'podman'): string | undefined => {
  const mounts: Mount[] = [{ kind: 'bind', from, to: from, writable: true }];
  const args = containerArguments({ ...POLICY, mounts }, { ...OPTIONS, engine });
  return args[args.indexOf('--mount') + 1];
};

it('renders a policy without network for podman, without the environment', () => {
  expect(render()).toMatchInlineSnapshot(`
    "--name carrel-ws_1
    --label carrel.workspace=ws_1
    --entrypoint sh
    --no-healthcheck
    --pull never
    --log-driver none
    --http-proxy=false
    --cap-drop ALL
    --read-only
    --security-opt no-new-privileges
    --security-opt seccomp=/state/seccomp.json
    --security-opt label=disable
    --ipc private
    --cgroupns private
    --hostname carrel-a
    --network none
    --user 1000:1000
    --shm-size 1000000000
    --tmpfs /tmp:rw,nosuid,nodev,exec,mode=1777,size=1000000000
    --tmpfs /var/tmp:rw,nosuid,nodev,exec,mode=1777,size=1000000000
    --tmpfs /run:rw,nosuid,nodev,exec,mode=1777,size=1000000000
    --mount type=bind,source=/state/home,target=/home/agent
    --mount type=bind,source=/repo/.git/objects,target=/run/carrel/parent/objects,readonly
    --mount type=bind,source=/cache/a,target=/cache/a
    --mount type=bind,source=/state/pointer,target=/cache/a/.git,readonly
    --workdir / localhost/carrel-host:1 -c sleep 1000"
  `);
});

it("renders the same for docker, except for podman's own options", () => {
  expect(compare(render(), render({}, { engine: 'docker' }))).toMatchInlineSnapshot(`
    [
      "- --http-proxy=false",
    ]
  `);
});

it("gives it its own network, never the host's", () => {
  expect(compare(render(), render({ network: 'full' }))).toMatchInlineSnapshot(`
    [
      "- --network none",
      "+ --network private",
    ]
  `);
  expect(render({ network: 'full' }, { engine: 'docker' })).toContain('--network bridge');
  for (const engine of ['podman', 'docker'] as const)
    expect(render({ network: 'host' }, { engine })).toContain('--network host');
});

it('applies limits to a container', () => {
  const limits = { cpu: 1.5, memory: 1_000_000, pids: 100, fileSize: 5000 };
  expect(compare(render(), render({ limits }))).toMatchInlineSnapshot(`
    [
      "+ --cpus 1.5",
      "+ --memory 1000000",
      "+ --memory-swap 1000000",
      "+ --pids-limit 100",
      "+ --ulimit fsize=5000:5000",
      "+ --ulimit nofile=20000:20000",
      "+ --ulimit nproc=-1:-1",
    ]
  `);
  expect(
    compare(render(), render({ limits: { ...limits, memorySwap: 3_000_000 } }, { engine: 'docker' })),
  ).toMatchInlineSnapshot(`
    [
      "- --http-proxy=false",
      "+ --cpus 1.5",
      "+ --memory 1000000",
      "+ --memory-swap 3000000",
      "+ --pids-limit 100",
      "+ --ulimit fsize=5000:5000",
    ]
  `);
});

it('uncovers /proc for sandboxes made inside, but never for root', () => {
  const base = { docker: render({}, { engine: 'docker' }), podman: render() };
  expect(compare(base.podman, render({ nested: true }))).toMatchInlineSnapshot(`
    [
      "+ --security-opt unmask=ALL",
    ]
  `);
  expect(compare(base.docker, render({ nested: true }, { engine: 'docker' }))).toMatchInlineSnapshot(`
    [
      "+ --security-opt systempaths=unconfined",
      "+ --security-opt apparmor=unconfined",
    ]
  `);
  const root = { user: { uid: 0, gid: 0 } };
  expect(render({ ...root, nested: true })).toBe(render(root));
});

it('gives all privileges only to a policy that requests them', () => {
  expect(compare(render(), render({ privileged: true }))).toMatchInlineSnapshot(`
    [
      "- --cap-drop ALL",
      "- --security-opt no-new-privileges",
      "- --security-opt seccomp=/state/seccomp.json",
      "- --security-opt label=disable",
      "+ --privileged",
    ]
  `);
});

it('keeps the ids of an ordinary user of podman', () => {
  expect(compare(render(), render({}, { isRootless: true }))).toMatchInlineSnapshot(`
    [
      "+ --userns keep-id",
    ]
  `);
});

it('leaves out mounts that a later one covers, because engines mount in their own order', () => {
  const mounts: Mount[] = [
    { kind: 'bind', from: '/a', to: '/x/y', writable: true },
    { kind: 'bind', from: '/b', to: '/x', writable: false },
    { kind: 'bind', from: '/c', to: '/x/z', writable: false },
    { kind: 'tmpfs', to: '/tmp', bytes: 4096 },
  ];
  expect(compare(render({ mounts: [] }), render({ mounts }))).toMatchInlineSnapshot(`
    [
      "- --tmpfs /tmp:rw,nosuid,nodev,exec,mode=1777,size=1000000000",
      "+ --mount type=bind,source=/b,target=/x,readonly",
      "+ --mount type=bind,source=/c,target=/x/z,readonly",
      "+ --tmpfs /tmp:rw,nosuid,nodev,exec,mode=1777,size=4096",
    ]
  `);
});

it('creates overlays with podman and refuses them with docker', () => {
  const mounts: Mount[] = [
    { kind: 'overlay', lower: '/pool/base', upper: '/pool/1/upper', work: '/pool/1/work', to: '/cache/a' },
  ];
  expect(compare(render({ mounts: [] }), render({ mounts }))).toMatchInlineSnapshot(`
    [
      "+ --volume /pool/base:/cache/a:O,upperdir=/pool/1/upper,workdir=/pool/1/work",
    ]
  `);
  expect(() => render({ mounts }, { engine: 'docker' })).toThrow(REFUSED);
});

it("quotes unusual paths, and refuses those that can't be expressed", () => {
  expect(mountOf('/with space:and=signs')).toBe(
    'type=bind,source=/with space:and=signs,target=/with space:and=signs',
  );
  expect(mountOf('/a,b')).toBe('type=bind,"source=/a,b","target=/a,b"');
  expect(mountOf('/a"b')).toBe('type=bind,"source=/a""b","target=/a""b"');
  expect(mountOf('/a\nb', 'docker')).toBe('type=bind,"source=/a\nb","target=/a\nb"');
  expect(() => mountOf('/a\r\nb')).toThrow(REFUSED);
  expect(() => render({ mounts: [{ kind: 'tmpfs', to: '/a,b' }] })).toThrow(REFUSED);
  const overlay = { kind: 'overlay', lower: '/a:b', upper: '/u', work: '/w', to: '/t' } as const;
  expect(() => render({ mounts: [overlay] })).toThrow(REFUSED);
});

const REFUSED = expect.objectContaining({ code: 'SANDBOX_REFUSED' }) as Error;
