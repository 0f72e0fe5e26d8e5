import { expect, test } from 'vitest';
import { PRESET_NAMES } from '../domain/agent/agent.js';
import { findPreset, modelHostsOf } from './presets.js';

test('every preset has its own name and the hosts of its models', () => {
  for (const name of PRESET_NAMES) {
    expect(findPreset(name).name).toBe(name);
    expect(modelHostsOf(name).length).toBeGreaterThan(0);
  }
});

test('an agent without a preset, or no agent, has no hosts', () => {
  expect([modelHostsOf('shell'), modelHostsOf('toString'), modelHostsOf(undefined)]).toEqual([[], [], []]);
});
