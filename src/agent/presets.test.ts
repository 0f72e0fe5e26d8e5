import { expect, test } from 'vitest';
import { PRESET_NAMES } from '../domain/agent.js';
import { findPreset, modelHostsOf } from './presets.js';

test('every preset goes by its own name and says where its models are', () => {
  for (const name of PRESET_NAMES) {
    expect(findPreset(name).name).toBe(name);
    expect(modelHostsOf(name).length).toBeGreaterThan(0);
  }
});

test('an agent that is no preset, or none at all, has no hosts', () => {
  expect([modelHostsOf('shell'), modelHostsOf('toString'), modelHostsOf(undefined)]).toEqual([[], [], []]);
});
