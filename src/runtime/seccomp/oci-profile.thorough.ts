import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { useContainers } from '../../../test/helpers/sandbox/container.js';
import { runFilter } from '../../../test/helpers/sandbox/filter-machine.js';
import {
  type Call,
  CONTROLLED_CALLS,
  makeCalls,
  readErrors,
} from '../../../test/helpers/sandbox/system-calls.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { ACTION } from './compile.js';
import { type OciSeccompProfile, ociSeccompProfile } from './oci-profile.js';
import { buildSeccompFilter } from './seccomp-filter.js';
import { listSyscalls } from './syscalls.js';

const ARCHITECTURE = process.arch === 'arm64' ? 'arm64' : 'x64';
const AUDIT = { x64: 0xc000003e, arm64: 0xc00000b7 } as const;

describe.each(['x64', 'arm64'] as const)('on %s', architecture => {
  it.each([false, true])('lets the same calls through as the filter of bubblewrap, nested %s', nested => {
    const profile = ociSeccompProfile(architecture, { nested }, 'podman');
    const filter = buildSeccompFilter(architecture, { nested });
    const numbers = listSyscalls(architecture);
    const value = fc.oneof(
      fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
      fc.bigInt({ min: 0n, max: 64n }),
      fc.constantFrom(0x5412n, 0x541cn, 0x1_0000_5412n, 0xffffffffn, 0o4755n, 0o020644n, 0x10000011n),
    );
    const args = fc.array(value, { minLength: 6, maxLength: 6 });
    fc.assert(
      fc.property(fc.constantFrom(...numbers.entries()), args, ([name, number], args) => {
        const action = runFilter(filter, { architecture: AUDIT[architecture], number, args });
        expect([name, isLetThrough(profile, name, args)]).toEqual([name, action === ACTION.allow]);
      }),
      { numRuns: 3000 },
    );
  });
});

it('gives engines a list of what is allowed, on the one architecture', () => {
  const { syscalls, ...rest } = ociSeccompProfile('arm64', { nested: false }, 'docker');
  expect(rest).toEqual({
    defaultAction: 'SCMP_ACT_ERRNO',
    defaultErrnoRet: 38,
    architectures: ['SCMP_ARCH_AARCH64'],
  });
  expect(syscalls.slice(1, 3)).toMatchInlineSnapshot(`
    [
      {
        "action": "SCMP_ACT_ERRNO",
        "errnoRet": 1,
        "names": [
          "unshare",
          "setns",
          "sethostname",
          "setdomainname",
          "chroot",
        ],
      },
      {
        "action": "SCMP_ACT_ALLOW",
        "args": [
          {
            "index": 0,
            "op": "SCMP_CMP_MASKED_EQ",
            "value": 2114060288,
            "valueTwo": 0,
          },
        ],
        "names": [
          "clone",
        ],
      },
    ]
  `);
  expect(() => ociSeccompProfile('s390x', { nested: false }, 'docker')).toThrow(
    expect.objectContaining({
      code: 'SANDBOX_REFUSED',
      details: expect.objectContaining({ runtime: 'docker' }),
    }) as Error,
  );
});

describe.each(['docker', 'podman'] as const)('with %s', name => {
  const containers = useContainers(name);

  it('refuses in a container what is not refused without the profile', () => {
    const file = join(tempDir(), 'profile.json');
    writeFileSync(file, JSON.stringify(ociSeccompProfile(ARCHITECTURE, { nested: false }, name)));
    const without = tryCalls('unconfined');
    const within = tryCalls(file);
    const told = CONTROLLED_CALLS.map((call, at) => [
      call.join(' '),
      isRefusal(without[at]),
      isRefusal(within[at]),
    ]);
    expect(told).toEqual(CONTROLLED_CALLS.map(call => [call.join(' '), false, true]));
  });

  /** Each in a separate process: some break it. */
  function tryCalls(seccomp: string): (number | undefined)[] {
    const { engine, image } = containers;
    const calls = CONTROLLED_CALLS.map(call => makeCalls([call as Call]));
    const script = calls.map(({ input }) => `printf '%s' '${input}' | "$@"`).join('\n');
    const usual = [
      'run',
      '--rm',
      '--network',
      'none',
      '--cap-drop',
      'ALL',
      '--tmpfs',
      '/tmp:mode=1777',
      '--workdir',
      '/tmp',
    ];
    const protection = ['--security-opt', `seccomp=${seccomp}`, '--security-opt', 'no-new-privileges'];
    const system = ['--mount', 'type=bind,source=/usr,target=/usr,readonly'];
    const command = ['sh', '-c', script, 'sh', ...(calls[0]?.command ?? [])];
    const { stdout, stderr } = spawnSync(name, [...usual, ...protection, ...system, image, ...command], {
      env: engine.environment,
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    return readErrors(stdout);
  }
});

const isRefusal = (error: number | undefined): boolean => error === 1 || error === 38;

/** As runc and crun read a profile. */
function isLetThrough(profile: OciSeccompProfile, name: string, args: readonly bigint[]): boolean {
  const rules = profile.syscalls.filter(({ names }) => names.includes(name));
  const fitting = rules.filter(rule =>
    (rule.args ?? []).every(
      ({ index, value, valueTwo }) => ((args[index] ?? 0n) & BigInt(value)) === BigInt(valueTwo),
    ),
  );
  return fitting.some(({ action }) => action === 'SCMP_ACT_ALLOW');
}
