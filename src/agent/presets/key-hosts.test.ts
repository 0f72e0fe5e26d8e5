import { expect, test } from 'vitest';
import { PRESET_NAMES } from '../../domain/agent/agent.js';
import { findPreset } from '../presets.js';
import { bindKeys } from './key-hosts.js';

test('every key of every preset has hosts, so that none has to be inside the sandbox', () => {
  const bound = bindKeys({});
  for (const name of PRESET_NAMES)
    for (const key of findPreset(name).keys)
      expect(bound[key]?.hosts.length ?? 0, `${name} ${key}`).toBeGreaterThan(
        key === 'COPILOT_PROVIDER_API_KEY' ? -1 : 0,
      );
});

test('a binding of the user replaces the built-in one', () => {
  const own = { CODEX_API_KEY: { hosts: ['gateway.example'], headers: ['authorization'] } };
  expect(bindKeys(own).CODEX_API_KEY).toEqual({ ...own.CODEX_API_KEY, baseUrls: [] });
});
