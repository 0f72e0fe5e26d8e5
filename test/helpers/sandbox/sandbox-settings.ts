import type { SandboxSettings } from '../../../src/domain/sandbox/sandbox.js';

/** The default settings of a sandbox. */
export function sandboxSettings(changes: Partial<SandboxSettings> = {}): SandboxSettings {
  return {
    git: 'private',
    network: 'allowlist',
    allow: [],
    nested: false,
    limits: {},
    enforcement: 'enforce',
    image: null,
    user: null,
    workingDirectory: null,
    environment: {},
    passEnvironment: [],
    readable: [],
    volumes: [],
    privileged: false,
    engineSocket: false,
    ...changes,
  };
}
