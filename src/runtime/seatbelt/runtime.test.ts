import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isThorough } from '../../../test/helpers/flavours.js';
import { createStandInSeatbelt, MACOS_FIXTURES } from '../../../test/helpers/machine/macos.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { requirePart } from '../../../test/parts/required-part.js';
import type { CommandResult } from '../../domain/command/command.js';
import { runProcess } from '../../exec/run-process.js';
import { createWorkspaceId, plainPolicy, type RuntimePlace } from '../contract/subject.js';
import { runtimeContract } from '../contract.js';
import type { Policy } from '../policy.js';
import { SANDBOX_EXEC, type SeatbeltRuntimeOptions } from './runtime.js';

function makePlace(change: Partial<SeatbeltRuntimeOptions> = {}): RuntimePlace {
  const directory = join(tempDir(), 'own');
  mkdirSync(directory);
  const shared = { directory: tempDir(), ...change };
  return {
    runtime: createStandInSeatbelt(shared),
    other: createStandInSeatbelt(shared),
    directory,
    user: { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 },
    root: { kind: 'machine' },
    ownVariables: ['CARREL_SANDBOX_ID'],
  };
}

const ON_MACOS = { program: SANDBOX_EXEC, hidden: [] };
const isMacos = process.platform === 'darwin';

/** Its scripts make sessions with setsid(1), and look for daemons whose environment macOS hides. */
const HIDDEN_DAEMONS = isMacos
  ? { ending: 'its scripts are for Linux', halting: 'its scripts are for Linux' }
  : {};

if (isMacos)
  runtimeContract('seatbelt', async () => makePlace(ON_MACOS), {
    isolating: 'it has no mounts and no namespaces, which this part asks for',
    ...HIDDEN_DAEMONS,
  });
else
  test('the runtime contract: seatbelt', context => {
    requirePart(context, false, 'Seatbelt');
  });

if (isThorough)
  runtimeContract('seatbelt with a stand-in for sandbox-exec', async () => makePlace(), {
    isolating: 'the stand-in isolates nothing',
    ...HIDDEN_DAEMONS,
  });

async function open(change: Partial<Policy>, options: Partial<SeatbeltRuntimeOptions> = {}) {
  const place = makePlace(options);
  return place.runtime.open(createWorkspaceId(), { ...plainPolicy(place), ...change });
}

test.each<[string, Partial<Policy>, string]>([
  [
    'an image',
    { root: { kind: 'image', image: 'debian' } },
    "it uses this machine's files and does not support images",
  ],
  ['all rights', { privileged: true }, 'sandbox.privileged is for containers only'],
  [
    'sandboxes within',
    { nested: true },
    'sandbox.nested is not possible: macOS refuses a sandbox inside a sandbox',
  ],
  ['another user', { user: { uid: 4242, gid: 4242 } }, 'and not as user 4242'],
  [
    'memory for files',
    { mounts: [{ kind: 'tmpfs', to: '/tmp' }] },
    'it does not support memory file systems, which /tmp needs',
  ],
  [
    'an overlay',
    { mounts: [{ kind: 'overlay', lower: '/l', upper: '/u', work: '/w', to: '/t' }] },
    'it does not support overlays, which /t needs',
  ],
  [
    'a file over another',
    { mounts: [{ kind: 'bind', from: '/state/pointer', to: '/work/.git', writable: false }] },
    'it shows files only at their own path, not /state/pointer as /work/.git',
  ],
  [
    'the whole machine',
    { mounts: [{ kind: 'bind', from: '/', to: '/', writable: true }] },
    'it cannot show the whole machine',
  ],
  [
    'a relative path',
    { mounts: [{ kind: 'bind', from: 'a', to: 'a', writable: true }] },
    'a is not an absolute path',
  ],
  [
    'a path with a NUL',
    { mounts: [{ kind: 'bind', from: '/a\0b', to: '/a\0b', writable: true }] },
    'a path contains a NUL character',
  ],
])('a policy with %s is refused, and nothing runs', async (_what, change, problem) => {
  await expect(open(change)).rejects.toMatchObject({
    code: 'SANDBOX_REFUSED',
    details: { runtime: 'seatbelt', problem: expect.stringContaining(problem) },
  });
});

test.each(['cpu', 'memory', 'pids'] as const)('a limit on %s is refused', async limit => {
  await expect(open({ limits: { [limit]: 100 } })).rejects.toMatchObject({
    code: 'LIMIT_NOT_ENFORCEABLE',
    details: { runtime: 'seatbelt', limits: [limit] },
  });
});

test('on other systems nothing can be opened', async () => {
  await expect(open({}, { platform: 'linux' })).rejects.toMatchObject({
    code: 'RUNTIME_UNAVAILABLE',
    details: { obstacle: 'unsupported-system' },
  });
});

test("when the rules can't be applied the command is not run", async () => {
  const sandbox = await open({}, { program: join(MACOS_FIXTURES, 'sandbox-exec-refused') });
  await expect(sandbox.run({ command: ['true'] })).rejects.toMatchObject({
    code: 'SANDBOX_REFUSED',
    details: { problem: 'sandbox-exec: sandbox_apply: Operation not permitted' },
  });
});

test('a file that grows above its limit stops the command, and the limit is reported', async () => {
  const sandbox = await open({ limits: { fileSize: 4096 } });
  const result = await sandbox.run({ command: ['sh', '-c', 'exec head -c 100000 /dev/zero > big'] });
  expect(result.limit).toBe('fileSize');
});

test('what a link leads to is visible at its real path too', async () => {
  const root = tempDir();
  mkdirSync(join(root, 'Cellar'));
  symlinkSync('Cellar', join(root, 'opt'));
  const path = join(root, 'opt');
  const seen: string[] = [];
  const run: SeatbeltRuntimeOptions['run'] = request => {
    seen.push(...request.args);
    return runProcess(request);
  };
  const sandbox = await open(
    { mounts: [{ kind: 'bind', from: path, to: path, writable: false }], workingDirectory: root },
    { run },
  );
  expect(await sandbox.run({ command: ['true'] })).toMatchObject({ exitCode: 0 });
  const values = seen.filter(word => /^PATH_\d+=/.test(word)).map(word => word.split('=')[1]);
  expect(values).toEqual([path, join(root, 'Cellar')]);
});

test('a command whose environment is hidden is found by its record', async () => {
  const place = makePlace();
  const id = createWorkspaceId();
  const sandbox = await place.runtime.open(id, plainPolicy(place));
  const script = 'echo ready; exec env -i sleep 600';
  let running: Promise<CommandResult> | undefined;
  await new Promise<void>(resolve => {
    running = sandbox.run({ command: ['sh', '-c', script], onOutput: () => resolve() });
  });
  expect(await place.runtime.list()).toEqual([id]);
  await place.runtime.stop(id);
  expect(await running).toMatchObject({ exitCode: null, signal: expect.stringMatching(/^SIG(TERM|KILL)$/) });
  expect(await place.runtime.list()).toEqual([]);
});
