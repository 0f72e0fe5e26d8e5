import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  ROOT_WITHOUT_NAMESPACES,
  useBubblewrapPrograms,
  WITHOUT_NAMESPACES,
} from '../../../test/helpers/sandbox/bubblewrap-programs.js';
import { bubblewrapOptions, makeBubblewrapPlace } from '../../../test/helpers/sandbox/runtime.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { requireBubblewrap } from '../../../test/parts/bubblewrap.js';
import { isRoot } from '../../../test/parts/required-part.js';
import type { RuntimeFinding } from '../../domain/sandbox/runtime-finding.js';
import { plainPolicy } from '../contract/subject.js';
import type { BubblewrapRuntimeOptions } from './prepare-sandbox.js';
import { createBubblewrapRuntime } from './runtime.js';

const asRefused = useBubblewrapPrograms(WITHOUT_NAMESPACES);
const asUnsafe = useBubblewrapPrograms(ROOT_WITHOUT_NAMESPACES);

const PROBE = 'print(JSON.stringify(await runtime.probe()));';

test('a working bubblewrap is found with its version, and root gets a warning', async context => {
  requireBubblewrap(context);
  const finding = await probe();
  expect(finding).toMatchObject({ runtime: 'bubblewrap', obstacle: null, hint: null });
  expect(finding.version).toMatch(/^\d+\.\d+/);
  expect(finding.limits).toEqual(expect.arrayContaining(['fileSize', 'disk', 'time']));
  expect(finding.warnings.length).toBe(isRoot ? 1 : 0);
});

test('a missing bubblewrap is reported as not installed, and nothing is opened', async () => {
  const options = { path: `${tempDir()}::relative` };
  expect(await probe(options)).toMatchObject({
    obstacle: 'not-installed',
    version: null,
    hint: 'install the package bubblewrap',
  });
  await expectUnavailable(options, 'not-installed');
});

test('a bubblewrap that is too old to prove its start is not used', async () => {
  const options = { path: fakeBubblewrap('echo bubblewrap 0.3.3') };
  expect(await probe(options)).toMatchObject({ obstacle: 'too-old', version: '0.3.3', limits: [] });
  await expectUnavailable(options, 'too-old');
});

test('a bubblewrap without a version counts as too old', async () => {
  expect(await probe({ path: fakeBubblewrap('exit 1') })).toMatchObject({ obstacle: 'too-old' });
});

test("a bubblewrap that can't disable user namespaces works with a warning", async context => {
  requireBubblewrap(context);
  const real = '[ "$1" = --version ] && { echo bubblewrap 0.6.2; exit; }; exec /usr/bin/bwrap "$@"';
  const finding = await probe({ path: fakeBubblewrap(real) });
  expect(finding).toMatchObject({ obstacle: null, version: '0.6.2' });
  expect(finding.warnings.join()).toContain('user namespaces');
});

test('a bubblewrap that exits with 0 without running anything is refused', async () => {
  const liar = '[ "$1" = --version ] && echo bubblewrap 0.8.0; exit 0';
  expect(await probe({ path: fakeBubblewrap(liar) })).toMatchObject({ obstacle: 'refused' });
  await expectUnavailable({ path: fakeBubblewrap(liar) }, 'refused');
});

test('a bubblewrap in a directory that agents write is ignored', async context => {
  requireBubblewrap(context);
  const directory = tempDir();
  mkdirSync(join(directory, 'bin'));
  writeFileSync(join(directory, 'bin/bwrap'), '#!/bin/sh\necho bubblewrap 9.9\n', { mode: 0o755 });
  const planted = `${directory}/bin`;
  expect(await probe({ path: planted })).toMatchObject({ version: '9.9' });
  expect(await probe({ path: planted, untrusted: [directory] })).toMatchObject({ obstacle: 'not-installed' });
  const both = { path: `${planted}:${process.env.PATH}`, untrusted: [directory] };
  expect(await probe(both)).toMatchObject({ obstacle: null });
});

test('a processor without a filter of system calls is refused', async context => {
  requireBubblewrap(context);
  const finding = await probe({ architecture: 'riscv64' });
  expect(finding).toMatchObject({ obstacle: 'refused' });
  expect(finding.message).toContain('riscv64');
});

test('a machine without user namespaces is reported with the responsible setting', async context => {
  requireBubblewrap(context);
  const finding = await findingOf(asRefused(PROBE));
  expect(finding).toMatchObject({
    obstacle: 'refused',
    message: expect.stringContaining('user.max_user_namespaces is 0'),
    hint: expect.stringContaining('sysctl user.max_user_namespaces'),
  });
});

test('a refused command is a named error and is not run', async context => {
  requireBubblewrap(context);
  const program = asRefused(`
    const sandbox = await runtime.open('ws_refused', policy);
    await sandbox.run({ command: ['touch', 'ran'] }).catch(error => print(JSON.stringify(error)));
  `);
  const { lines } = await program.ended;
  expect(JSON.parse(lines[0] ?? '{}')).toMatchObject({
    code: 'RUNTIME_UNAVAILABLE',
    details: { obstacle: 'refused' },
  });
});

test.runIf(isRoot)('root without user namespaces is unsafe, although a sandbox would work', async context => {
  requireBubblewrap(context);
  const finding = await findingOf(asUnsafe(PROBE));
  expect(finding).toMatchObject({ obstacle: 'unsafe-as-root' });
  expect(finding.message).toContain('user.max_user_namespaces is 0');
});

const probe = (change: Partial<BubblewrapRuntimeOptions> = {}): Promise<RuntimeFinding> =>
  createBubblewrapRuntime({ ...bubblewrapOptions(), ...change }).probe();

async function expectUnavailable(change: Partial<BubblewrapRuntimeOptions>, obstacle: string): Promise<void> {
  const runtime = createBubblewrapRuntime({ ...bubblewrapOptions(), ...change });
  const running = runtime
    .open('ws_unavailable', plainPolicy(makeBubblewrapPlace()))
    .then(sandbox => sandbox.run({ command: ['true'] }));
  await expect(running).rejects.toMatchObject({ code: 'RUNTIME_UNAVAILABLE', details: { obstacle } });
}

/** A directory with a bwrap that is a shell script. */
function fakeBubblewrap(script: string): string {
  const directory = tempDir();
  writeFileSync(join(directory, 'bwrap'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return directory;
}

async function findingOf({ ended }: ReturnType<typeof asRefused>): Promise<RuntimeFinding> {
  const { lines, stderr } = await ended;
  expect(stderr).toBe('');
  return JSON.parse(lines[0] ?? '{}');
}
