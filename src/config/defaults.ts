import type { EffectiveConfig } from './effective-config.js';
import { regenerable } from './regenerable.js';
import { shippedTemplates } from './shipped-templates.js';

/** What holds where no file says otherwise. The same values as the schema's, without loading it. */
export const defaultConfig: EffectiveConfig = {
  version: '1.0',
  project: {},
  isolation: { default: 'shared', overrides: {}, onUnavailable: 'degrade' },
  workspace: {
    defaultStrategy: 'none',
    cleanupOnComplete: true,
    preserveOnFailure: true,
    cleanupDays: 7,
    branchPrefix: 'carrel/',
    include: [],
    setup: [],
    setupTimeout: '10m',
    install: 'off',
    installTimeout: '10m',
    files: 'auto',
    submodules: 'init',
    ports: { from: 20_000, to: 31_999 },
    limits: { freeDisk: '512m' },
  },
  sandbox: {
    runtime: 'auto',
    git: 'private',
    network: 'allowlist',
    allow: [],
    nested: 'deny',
    limits: 'enforce',
    passEnvironment: [],
    readable: [],
    privileged: false,
    engineSocket: false,
  },
  tasks: {
    workflow: 'feature',
    agent: 'claude',
    concurrency: 4,
    onInterruption: 'report',
    retryDelay: '5s',
    limits: {},
    validation: [],
  },
  agents: {},
  pool: { size: 8, spare: 'auto', keep: [], overlay: 'auto' },
  snapshots: {
    keepDays: 30,
    ignoredLimit: '100m',
    regenerable,
  },
  server: { host: '127.0.0.1', port: 7717, hostNames: [], allow: [] },
  templates: shippedTemplates,
};
