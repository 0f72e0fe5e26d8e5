import { expect, test } from 'vitest';
import { sandboxSettings } from '../../../test/helpers/sandbox/sandbox-settings.js';
import { warnOfWeakness } from './sandbox-settings.js';

const weak = sandboxSettings({ privileged: true, engineSocket: true, git: 'surgical', nested: true });

test('each setting that weakens a container is reported', () => {
  expect(warnOfWeakness(weak, 'podman')).toEqual([
    expect.stringContaining('sandbox.privileged'),
    expect.stringContaining('sandbox.engineSocket'),
    expect.stringContaining('sandbox.git'),
    expect.stringContaining('sandbox.nested'),
  ]);
});

test('container settings give no warnings for bubblewrap', () => {
  expect(warnOfWeakness(weak, 'bubblewrap')).toEqual([
    expect.stringContaining('sandbox.git'),
    expect.stringContaining('sandbox.nested'),
  ]);
});

test("sharing the host's network is reported for every runtime", () => {
  for (const runtime of ['bubblewrap', 'podman', 'docker', 'seatbelt'] as const)
    expect(warnOfWeakness(sandboxSettings({ network: 'host' }), runtime)).toEqual([
      expect.stringContaining('sandbox.network is host'),
    ]);
});

test('the full network of a container engine reaches this machine, which is reported; that of bubblewrap does not', () => {
  const settings = sandboxSettings({ network: 'full' });
  for (const runtime of ['podman', 'docker'] as const)
    expect(warnOfWeakness(settings, runtime)).toEqual([
      expect.stringContaining(`sandbox.network is full with ${runtime}`),
    ]);
  expect(warnOfWeakness(settings, 'bubblewrap')).toEqual([]);
});

test('default settings give no warnings', () => {
  expect(warnOfWeakness(sandboxSettings(), 'docker')).toEqual([]);
});
