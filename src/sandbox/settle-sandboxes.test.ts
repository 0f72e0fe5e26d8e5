import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../test/helpers/temp.js';
import { carrelError } from '../domain/error.js';
import type { ProcessIdentity } from '../domain/process-identity.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import { identifyProcess } from '../exec/process-identity.js';
import { createDummyRuntime } from '../runtime/dummy/runtime.js';
import type { RuntimeRegistry } from '../runtime/registry.js';
import { sandboxPlace } from './place.js';
import type { SandboxesOptions } from './sandboxes.js';
import { removeSandbox, sweepSandboxes } from './settle-sandboxes.js';

const self = identifyProcess(process.pid) as ProcessIdentity;

/** A state directory, runtimes that remember what they were told to end, and the workspaces that are on record. */
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
  };
  const options = { runtimes, stateDir, self } as SandboxesOptions;
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
  const sweep = () => sweepSandboxes(options, async id => records.get(id));
  return { stateDir, options, stopped, add, leaveCommand, sweep };
}

test('a sandbox that is given up is gone, and nothing runs in it', async () => {
  const site = makeSite();
  const record = site.add('ws_a');
  const place = sandboxPlace(site.stateDir, 'ws_a');
  await removeSandbox(site.options, record, place);
  await removeSandbox(site.options, record, place);
  expect(site.stopped).toEqual(['ws_a', 'ws_a']);
  expect(existsSync(place.root)).toBe(false);
});

test('what was given up and not deleted is deleted; what has no record is nobody’s to delete', async () => {
  const site = makeSite();
  for (const name of ['.gone-ws_a', 'ws_unknown'])
    mkdirSync(join(site.stateDir, 'sandboxes', name, 'git'), { recursive: true });
  expect(await site.sweep()).toEqual([]);
  expect(existsSync(join(site.stateDir, 'sandboxes', '.gone-ws_a'))).toBe(false);
  expect(existsSync(join(site.stateDir, 'sandboxes', 'ws_unknown', 'git'))).toBe(true);
});

test('commands that nobody waits for are ended, in their sandbox and no other', async () => {
  const site = makeSite();
  site.add('ws_a');
  site.add('ws_b');
  site.leaveCommand('ws_b');
  expect(await site.sweep()).toEqual([]);
  expect(await site.sweep()).toEqual([]);
  expect(site.stopped).toEqual(['ws_b']);
});

test('a container whose workspace is gone is ended, and one that has a workspace is not', async () => {
  const site = makeSite({ containers: ['ws_a', 'ws_gone'] });
  site.add('ws_a', 'podman');
  expect(await site.sweep()).toEqual([]);
  expect(site.stopped).toEqual(['ws_gone']);
});

test('what can not be settled is told, stops nothing else, and is tried again', async () => {
  const site = makeSite({ containers: ['ws_gone'], engineIsGone: true });
  site.add('ws_a', 'podman');
  site.leaveCommand('ws_a');
  mkdirSync(join(site.stateDir, 'sandboxes', '.gone-ws_b'), { recursive: true });
  const problem = 'podman could not start the sandbox: it is gone';
  const warnings = [
    `ws_a could not be settled yet: ${problem}`,
    `podman could not be settled yet: ${problem}`,
  ];
  expect(await site.sweep()).toEqual(warnings);
  expect(existsSync(join(site.stateDir, 'sandboxes', '.gone-ws_b'))).toBe(false);
  expect(await site.sweep()).toEqual(warnings);
});
