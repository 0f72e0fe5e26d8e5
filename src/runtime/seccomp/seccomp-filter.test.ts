import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runFilter } from '../../../test/helpers/sandbox/filter-machine.js';
import { listRefusals } from './refusals.js';
import { buildSeccompFilter } from './seccomp-filter.js';
import { listSyscalls } from './syscalls.js';

const AUDIT = { x64: 0xc000003e, arm64: 0xc00000b7 } as const;
const EVERYTHING = [...listRefusals({ nested: false })];

describe.each(['x64', 'arm64'] as const)('on %s', architecture => {
  const numbers = listSyscalls(architecture);
  const strict = buildSeccompFilter(architecture, { nested: false });
  const nested = buildSeccompFilter(architecture, { nested: true });
  const ask = (program: Buffer, number: number, args: readonly number[] = []): string =>
    nameAction(
      runFilter(program, {
        architecture: AUDIT[architecture],
        number,
        args: args.map(value => BigInt(value)),
      }),
    );
  const call = (program: Buffer, name: string, ...args: number[]): string =>
    ask(program, numbers.get(name) ?? Number.NaN, args);

  it('is small enough for the kernel', () => {
    expect(strict.length / 8).toBeLessThanOrEqual(4096);
    expect(strict.length / 8).toBeGreaterThan(300);
  });

  it('refuses what is in the list without a condition, whatever the arguments', () => {
    const names = EVERYTHING.flatMap(({ syscalls, unless, errno }) =>
      unless ? [] : syscalls.filter(name => numbers.has(name)).map(name => ({ name, errno })),
    );
    const word = fc.integer({ min: 0, max: 0xffffffff });
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.array(word, { maxLength: 6 }), ({ name, errno }, args) => {
        expect(call(strict, name, ...args)).toBe(errno === 38 ? 'ENOSYS' : 'EPERM');
      }),
    );
  });

  it('lets through what is in no list', () => {
    const listed = new Set(EVERYTHING.flatMap(({ syscalls }) => syscalls));
    const free = [...numbers.keys()].filter(name => !listed.has(name));
    expect(free.filter(name => call(strict, name) !== 'allow')).toEqual([]);
    expect(free.length).toBeGreaterThan(240);
  });

  it('refuses numbers that are not in its table, such as those of x32 and of future kernels', () => {
    const known = new Set(numbers.values());
    const unknown = fc.integer({ min: 0, max: 0xffffffff }).filter(number => !known.has(number));
    fc.assert(
      fc.property(unknown, number => {
        expect(ask(strict, number)).toBe('ENOSYS');
      }),
    );
    expect(ask(strict, 0x40000000 + (numbers.get('read') ?? 0))).toBe('ENOSYS');
  });

  it('ends a process that makes calls of the other architecture', () => {
    const other = architecture === 'x64' ? AUDIT.arm64 : AUDIT.x64;
    expect(nameAction(runFilter(strict, { architecture: other, number: 0 }))).toBe('kill');
  });

  it.each([
    ['clone', [0x11], 'allow'],
    // The flags that threads are created with.
    ['clone', [0x3d0f00], 'allow'],
    ['clone', [0x10000000 | 0x11], 'EPERM'],
    ['clone', [0x20000], 'EPERM'],
    ['clone', [0x40000000], 'EPERM'],
    ['personality', [0], 'allow'],
    ['personality', [8], 'allow'],
    ['personality', [0xffffffff], 'allow'],
    ['personality', [0x40000], 'EPERM'],
    ['mknodat', [0, 0, 0o100644], 'allow'],
    ['mknodat', [0, 0, 0o644], 'allow'],
    ['mknodat', [0, 0, 0o010644], 'allow'],
    ['mknodat', [0, 0, 0o140644], 'allow'],
    ['mknodat', [0, 0, 0o020644], 'EPERM'],
    ['mknodat', [0, 0, 0o060644], 'EPERM'],
    ['mknodat', [0, 0, 0o104755], 'EPERM'],
    ['fchmod', [0, 0o1777], 'allow'],
    ['fchmod', [0, 0o4755], 'EPERM'],
    ['fchmodat', [0, 0, 0o2755], 'EPERM'],
    ['fchmodat2', [0, 0, 0o6755, 0], 'EPERM'],
    ['fchmodat2', [0, 0, 0o755, 0], 'allow'],
    ['openat', [0, 0, 0o100, 0o644], 'allow'],
    ['openat', [0, 0, 0o100, 0o4755], 'EPERM'],
    ['openat', [0, 0, 0o20200000, 0o4755], 'EPERM'],
    // A directory is opened: the mode is not checked.
    ['openat', [0, 0, 0o200000, 0o4755], 'allow'],
    ['ioctl', [0, 0x5401], 'allow'],
    ['ioctl', [0, 0x5412], 'EPERM'],
    ['ioctl', [0, 2 ** 32 + 0x5412], 'EPERM'],
    ['ioctl', [0, 0x541c], 'EPERM'],
    ['ioctl', [0, 0x541b], 'allow'],
    ['socket', [1, 1, 0], 'allow'],
    ['socket', [2, 1, 6], 'allow'],
    ['socket', [10, 1, 0], 'allow'],
    ['socket', [16, 3, 0], 'allow'],
    ['socket', [16, 3, 9], 'EPERM'],
    ['socket', [17, 3, 0], 'EPERM'],
    ['socket', [38, 5, 0], 'EPERM'],
    ['socket', [40, 1, 0], 'EPERM'],
    ['socketpair', [1, 1, 0], 'allow'],
    ['socketpair', [30, 1, 0], 'EPERM'],
  ])('decides %s by its arguments %j: %s', (name, args, expected) => {
    expect(call(strict, name, ...args)).toBe(expected);
  });

  it('allows nested sandboxes only on request', () => {
    for (const name of [
      'unshare',
      'setns',
      'mount',
      'umount2',
      'pivot_root',
      'clone3',
      'fsopen',
      'sethostname',
    ]) {
      expect([name, call(nested, name)]).toEqual([name, 'allow']);
      expect([name, call(strict, name)]).not.toEqual([name, 'allow']);
    }
    expect(call(nested, 'clone', 0x10000000)).toBe('allow');
    expect(call(nested, 'ptrace')).toBe('EPERM');
    expect(call(nested, 'bpf')).toBe('EPERM');
  });
});

it('treats the older calls of x64 like their replacements', () => {
  const program = buildSeccompFilter('x64', { nested: false });
  const numbers = listSyscalls('x64');
  const call = (name: string, ...args: number[]): string =>
    nameAction(
      runFilter(program, {
        architecture: AUDIT.x64,
        number: numbers.get(name) ?? Number.NaN,
        args: args.map(value => BigInt(value)),
      }),
    );
  expect([call('chmod', 0, 0o755), call('chmod', 0, 0o4755)]).toEqual(['allow', 'EPERM']);
  expect([call('creat', 0, 0o644), call('creat', 0, 0o2755)]).toEqual(['allow', 'EPERM']);
  expect([call('open', 0, 0o100, 0o644), call('open', 0, 0o100, 0o4755)]).toEqual(['allow', 'EPERM']);
  expect([call('open', 0, 0, 0o4755), call('mknod', 0, 0o020666)]).toEqual(['allow', 'EPERM']);
});

it('names only existing calls, each once', () => {
  const known = new Set([...listSyscalls('x64').keys(), ...listSyscalls('arm64').keys()]);
  const names = EVERYTHING.flatMap(({ syscalls }) => syscalls);
  expect(names.filter(name => !known.has(name))).toEqual([]);
  expect(new Set(names).size).toBe(names.length);
});

it('refuses to build a filter for an unknown architecture', () => {
  expect(() => buildSeccompFilter('riscv64', { nested: false })).toThrow(
    expect.objectContaining({
      code: 'SANDBOX_REFUSED',
      message: expect.stringContaining('riscv64'),
    }) as Error,
  );
});

const NAMES: Readonly<Record<number, string>> = {
  2147483648: 'kill',
  2147418112: 'allow',
  327681: 'EPERM',
  327718: 'ENOSYS',
};

const nameAction = (action: number): string => NAMES[action] ?? `0x${action.toString(16)}`;
