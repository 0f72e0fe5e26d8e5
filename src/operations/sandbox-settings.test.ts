import { expect, test } from 'vitest';
import { sandboxSettings } from '../../test/helpers/sandbox-settings.js';
import { warnOfWeakness } from './sandbox-settings.js';

const weak = sandboxSettings({ privileged: true, engineSocket: true, git: 'surgical', nested: true });

test('each setting that weakens a container is told', () => {
  expect(warnOfWeakness(weak, 'podman')).toEqual([
    expect.stringContaining('sandbox.privileged'),
    expect.stringContaining('sandbox.engineSocket'),
    expect.stringContaining('sandbox.git'),
    expect.stringContaining('sandbox.nested'),
  ]);
});

test('bubblewrap is not said to be weakened by settings of containers', () => {
  expect(warnOfWeakness(weak, 'bubblewrap')).toEqual([
    expect.stringContaining('sandbox.git'),
    expect.stringContaining('sandbox.nested'),
  ]);
});

test('there is nothing to tell of the settings that nobody changed', () => {
  expect(warnOfWeakness(sandboxSettings(), 'docker')).toEqual([]);
});
