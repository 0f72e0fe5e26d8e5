import { spawnSync } from 'node:child_process';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, type TestContext } from 'vitest';
import { oneInSix } from '../../../test/helpers/flavours.js';
import {
  type Call,
  CONTROLLED_CALLS,
  makeCalls,
  readErrors,
} from '../../../test/helpers/sandbox/system-calls.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { requireBubblewrap, SHOW_PROGRAMS } from '../../../test/parts/bubblewrap.js';
import { isRoot, requirePart, requireProgram } from '../../../test/parts/required-part.js';
import { RETURN } from './bpf.js';
import { ACTION } from './compile.js';
import { listRefusals } from './refusals.js';
import { buildSeccompFilter } from './seccomp-filter.js';
import { listSyscalls } from './syscalls.js';

const ARCHITECTURE = process.arch === 'arm64' ? 'arm64' : 'x64';
const NUMBERS = listSyscalls(ARCHITECTURE);
const NOBODY = 65_534;
const EPERM = 1;
const ENOSYS = 38;

describe.each(isRoot ? ['root', 'an ordinary user'] : ['an ordinary user'])('as %s', who => {
  const user = isRoot && who !== 'root' ? { uid: NOBODY, gid: NOBODY } : {};
  const strict = buildSeccompFilter(ARCHITECTURE, { nested: false });

  beforeEach((context: TestContext) => {
    requireBubblewrap(context);
    requireProgram(context, 'perl');
    requireProgram(context, 'python3');
  });

  it('refuses every call of the list that has no condition', () => {
    const names = listRefusals({ nested: false })
      .flatMap(({ syscalls, unless }) => (unless ? [] : syscalls))
      .filter(name => NUMBERS.has(name));
    const told = tryCalls(
      markRefusals(strict),
      names.map(name => [name, 0, 0, 0, 0, 0, 0]),
      user,
    );
    expect(names.filter((_, at) => told[at] !== MARK)).toEqual([]);
    expect(told.length).toBeGreaterThan(50);
  });

  it.each(oneInSix(CONTROLLED_CALLS))(
    'refuses %s(%s, %s, %s), which is not refused without it',
    (...call) => {
      const given = call.filter(part => part !== undefined) as unknown as Call;
      expect([EPERM, ENOSYS]).not.toContain(tryCalls(undefined, [given], user)[0]);
      expect([EPERM, ENOSYS]).toContain(tryCalls(strict, [given], user)[0]);
    },
  );

  it('lets programs work: a shell with pipes, git, node with threads, python with processes', () => {
    const { stdout, stderr } = runFiltered(strict, ['env', 'HOME=/tmp', 'bash', '-c', ORDINARY_WORK], user);
    expect(stderr).toBe('');
    expect(stdout).toBe("1\nnode a child\npython [1, 2] b'child\\n'\n755\n");
  });

  it('allows a nested sandbox only on request', () => {
    const command = ['unshare', '--user', '--mount', 'echo', 'made'];
    expect(runFiltered(strict, command, user).stdout).toBe('');
    const nested = buildSeccompFilter(ARCHITECTURE, { nested: true });
    expect(runFiltered(nested, command, user).stdout).toBe('made\n');
  });

  it('ends a program that makes calls of a 32-bit processor', context => {
    requirePart(context, ARCHITECTURE === 'x64', 'x64 processor');
    const make = `print pack("H*", "${EXIT_42_OF_I386}")`;
    const command = ['sh', '-c', `perl -e '${make}' > x; chmod 755 x; ./x; echo $?`];
    const without = runFiltered(undefined, command, user).stdout;
    requirePart(context, without === '42\n', '32-bit system calls');
    expect(runFiltered(strict, command, user).stdout).toBe(`${128 + SIGSYS}\n`);
  });
});

const SIGSYS = 31;

/** At a path where only the filter prevents it. */
function runFiltered(
  filter: Buffer | undefined,
  command: readonly string[],
  user: { readonly uid?: number },
  input = '',
) {
  const file = join(tempDir(), 'filter');
  writeFileSync(file, filter ?? '');
  const descriptor = openSync(file, 'r');
  const isolated = [
    '--unshare-user',
    '--unshare-pid',
    '--unshare-net',
    '--cap-drop',
    'ALL',
    '--die-with-parent',
  ];
  const place = [...SHOW_PROGRAMS, '--dev', '/dev', '--proc', '/proc', '--tmpfs', '/tmp', '--chdir', '/tmp'];
  const args = [...isolated, ...place, ...(filter ? ['--seccomp', '3'] : []), '--', ...command];
  const result = spawnSync('bwrap', args, {
    input,
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'pipe', descriptor],
    ...user,
  });
  closeSync(descriptor);
  return result;
}

/** The error number of each call, 0 for success. */
function tryCalls(
  filter: Buffer | undefined,
  calls: readonly Call[],
  user: { readonly uid?: number },
): number[] {
  const { command, input } = makeCalls(calls);
  const { stdout, stderr } = runFiltered(filter, command, user, input);
  expect(stderr).toBe('');
  return readErrors(stdout);
}

/** An error number that no call returns itself. */
const MARK = 133;

/** The same filter with error numbers that the kernel does not use: most calls in the list need root anyway. */
function markRefusals(filter: Buffer): Buffer {
  const marked = Buffer.from(filter);
  for (let at = 0; at < marked.length; at += 8) {
    const isError = (marked.readUInt32LE(at + 4) & 0xffff0000) === ACTION.errno;
    if (marked.readUInt16LE(at) === RETURN && isError) marked.writeUInt32LE(ACTION.errno + MARK, at + 4);
  }
  return marked;
}

const ORDINARY_WORK = `
  set -e
  mkdir r; cd r; git init -q .; echo a > a; git add a
  git -c user.name=n -c user.email=e commit -qm one; git gc -q; git log --oneline | wc -l
  cat > w.js <<'END'
  const { Worker } = require('node:worker_threads');
  const child = () => String(require('node:child_process').execFileSync('echo', ['child'])).trim();
  new Worker('require("node:worker_threads").parentPort.postMessage("a")', { eval: true })
    .on('message', said => console.log('node', said, child()));
END
  ${process.execPath} w.js
  python3 -c 'import subprocess, multiprocessing as m; print("python", m.Pool(2).map(abs, [-1, -2]), subprocess.check_output(["echo", "child"]))'
  chmod 755 a; mkfifo p; touch -d yesterday a; cp -a a b; stat -c %a b`;

/** A program of 64 bits: `mov eax, 1; mov ebx, 42; int 0x80`, which is exit(42) for a 32-bit processor. */
const EXIT_42_OF_I386 = [
  // ELF header: 64-bit, little-endian, executable, x86-64, entry at 0x400078, one program header
  '7f454c46020101000000000000000000',
  '02003e00010000007800400000000000',
  '40000000000000000000000000000000',
  '00000000400038000100000000000000',
  // Program header: load the whole file at 0x400000, readable and executable
  '01000000050000000000000000000000',
  '00004000000000000000400000000000',
  '84000000000000008400000000000000',
  '0010000000000000',
  'b801000000bb2a000000cd80',
].join('');
