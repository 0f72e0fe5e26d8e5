import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createWorkspaceId, openSandbox, plainPolicy, type RuntimeSetup } from './subject.js';

export function openingContract(setup: RuntimeSetup): void {
  test('the probe of a working runtime has its name and the limits that it can enforce', async () => {
    const { runtime } = await setup();
    const finding = await runtime.probe();
    expect(finding).toMatchObject({ runtime: runtime.name, obstacle: null });
    expect(finding.message).not.toBe('');
  });

  test('a sandbox that never existed can be stopped, twice', async () => {
    const { runtime } = await setup();
    const id = createWorkspaceId();
    await runtime.stop(id);
    await runtime.stop(id);
    expect(await runtime.list()).not.toContain(id);
  });

  test('a sandbox can be opened again, and is not listed once it was stopped', async () => {
    const { runtime, id, policy } = await openSandbox(setup);
    await runtime.open(id, policy);
    await runtime.stop(id);
    expect(await runtime.list()).not.toContain(id);
    await runtime.stop(id);
  });

  test('pausing and resuming where nothing runs does nothing, any number of times', async () => {
    const { sandbox, script } = await openSandbox(setup);
    await sandbox.resume();
    await sandbox.pause();
    await sandbox.pause();
    await sandbox.resume();
    await sandbox.resume();
    expect(await script('true')).toMatchObject({ exitCode: 0 });
  });

  test('a command that was cancelled before it started is not run', async () => {
    const { directory, script } = await openSandbox(setup);
    const result = await script('echo x > ran', { signal: AbortSignal.abort() });
    expect(result).toMatchObject({ cancelled: true, timedOut: false, exitCode: null });
    expect(existsSync(join(directory, 'ran'))).toBe(false);
  });

  test("a limit that can't be enforced is refused, unless best effort is enough", async ({ skip }) => {
    const place = await setup();
    const { limits } = await place.runtime.probe();
    skip(!place.runtime.capabilities.isolates, 'it has no limits');
    skip(limits.includes('memory'), 'it can enforce all of them here');
    const policy = { ...plainPolicy(place), limits: { memory: 64 * 1024 ** 2 } };
    const id = createWorkspaceId();
    await expect(place.runtime.open(id, policy)).rejects.toMatchObject({ code: 'LIMIT_NOT_ENFORCEABLE' });
    await place.runtime.open(id, { ...policy, enforcement: 'best-effort' });
    await place.runtime.stop(id);
  });
}
