import { existsSync, linkSync, mkdirSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../test/helpers/temp.js';
import { carrelError } from '../../domain/error/error.js';
import type { ProcessIdentity } from '../../domain/process-identity.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { identifyProcess } from '../../exec/process/identify-process.js';
import { createDummyRuntime } from '../../runtime/dummy/runtime.js';
import type { RuntimeRegistry } from '../../runtime/runtime-registry.js';
import { sandboxPlace } from '../sandbox-place.js';
import type { SandboxesOptions } from '../sandboxes.js';
import { cleanUpSandboxes, removeSandbox } from './remove-sandboxes.js';

const self = identifyProcess(process.pid) as ProcessIdentity;

/** A state directory, runtimes that record what they were asked to stop, and the workspaces that are on record. */
function makeSite({ containers = [] as string[], engineIsGone = false } = {}) {
  const stateDir = tempDir();
  const stopped: string[] = [];
  const dummy = createDummyRuntime();
  const stop = async (id: string) => {
    if (engineIsGone) throw carrelError('SANDBOX_REFUSED', { runtime: 'podman', problem: 'it is gone' });
    stopped.push(id);
  };
  const engine = { ...dummy, stop, list: async () => containers };
  const runtimes: RuntimeRegistry = {
    host: dummy,
    dummy,
    bubblewrap: { ...dummy, stop },
    podman: engine,
    docker: { ...dummy, list: async () => [] },
    seatbelt: dummy,
  };
  const membersOf: SandboxesOptions['membersOf'] = async record => [record];
  const options = { runtimes, stateDir, self, membersOf } as SandboxesOptions;
  const records = new Map<string, WorkspaceRecord>();
  const add = (id: string, runtime: WorkspaceRecord['runtime'] = 'bubblewrap') => {
    const record = { id, runtime, commonDir: null } as WorkspaceRecord;
    mkdirSync(sandboxPlace(stateDir, id).home, { recursive: true });
    records.set(id, record);
    return record;
  };
  const leaveCommand = (id: string) => {
    const commands = join(sandboxPlace(stateDir, id).root, 'commands');
    mkdirSync(commands);
    writeFileSync(join(commands, 'op_left'), JSON.stringify({ ...self, startedAt: 'long ago' }));
  };
  const cleanUp = () => cleanUpSandboxes(options, async id => records.get(id));
  return { stateDir, options, stopped, records, add, leaveCommand, sweep: cleanUp };
}

test('a removed sandbox is gone, and nothing runs in it', async () => {
  const site = makeSite();
  const record = site.add('ws_a');
  const place = sandboxPlace(site.stateDir, 'ws_a');
  await removeSandbox(site.options, record, place);
  await removeSandbox(site.options, record, place);
  expect(site.stopped).toEqual(['ws_a', 'ws_a']);
  expect(existsSync(place.root)).toBe(false);
});

test('an interrupted deletion is finished; a sandbox without a record is kept', async () => {
  const site = makeSite();
  for (const name of ['.gone-ws_a', 'ws_unknown'])
    mkdirSync(join(site.stateDir, 'sandboxes', name, 'git'), { recursive: true });
  expect(await site.sweep()).toEqual([]);
  expect(existsSync(join(site.stateDir, 'sandboxes', '.gone-ws_a'))).toBe(false);
  expect(existsSync(join(site.stateDir, 'sandboxes', 'ws_unknown', 'git'))).toBe(true);
});

test('files of a process that was killed during an import are deleted, with its index lock', async () => {
  const site = makeSite();
  const commonDir = tempDir();
  site.records.set('ws_a', { ...site.add('ws_a'), commonDir });
  const namespace = existsSync('/proc/self/ns/pid') ? /\d+/.exec(readlinkSync('/proc/self/ns/pid')) : 0;
  const admin = join(commonDir, 'worktrees', 'ws_a');
  const scratch = join(commonDir, 'carrel', 'incoming-ws_a', `carrel-4194305-${namespace}-abc`);
  for (const directory of [admin, scratch]) mkdirSync(directory, { recursive: true });
  writeFileSync(join(scratch, 'index'), 'draft');
  linkSync(join(scratch, 'index'), join(admin, 'index.lock'));
  expect(await site.sweep()).toEqual([]);
  expect(readdirSync(commonDir, { recursive: true }).sort()).toEqual(['worktrees', 'worktrees/ws_a']);
});

test('abandoned commands are stopped, in their sandbox only', async () => {
  const site = makeSite();
  site.add('ws_a');
  site.add('ws_b');
  site.leaveCommand('ws_b');
  expect(await site.sweep()).toEqual([]);
  expect(await site.sweep()).toEqual([]);
  expect(site.stopped).toEqual(['ws_b']);
});

test('a container whose workspace is gone is stopped, and one with a workspace is not', async () => {
  const site = makeSite({ containers: ['ws_a', 'ws_gone'] });
  site.add('ws_a', 'podman');
  expect(await site.sweep()).toEqual([]);
  expect(site.stopped).toEqual(['ws_gone']);
});

test('a failed cleanup is reported, blocks nothing else, and is retried', async () => {
  const site = makeSite({ containers: ['ws_gone'], engineIsGone: true });
  site.add('ws_a', 'podman');
  site.leaveCommand('ws_a');
  mkdirSync(join(site.stateDir, 'sandboxes', '.gone-ws_b'), { recursive: true });
  const problem = 'podman could not start the sandbox: it is gone';
  const warnings = [
    `ws_a could not be cleaned up yet: ${problem}`,
    `podman could not be cleaned up yet: ${problem}`,
  ];
  expect(await site.sweep()).toEqual(warnings);
  expect(existsSync(join(site.stateDir, 'sandboxes', '.gone-ws_b'))).toBe(false);
  expect(await site.sweep()).toEqual(warnings);
});
