import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findKnownPreset } from '../../agent/presets.js';
import type { EffectiveConfig } from '../../config/effective-config.js';
import type { LoadedConfig } from '../../config/load-config.js';
import { type ChosenIsolation, chooseWorkspaceIsolation } from '../../config/workflows/chosen-isolation.js';
import { carrelError } from '../../domain/error/error.js';
import type { OnUnavailable } from '../../domain/isolation.js';
import { parseDuration, parseSize } from '../../domain/quantity/quantity.js';
import type { SandboxSettings } from '../../domain/sandbox/sandbox.js';
import { nearest } from '../../domain/text/nearest-word.js';
import type { Repository } from '../../workspace/backend.js';
import type { Context } from '../context.js';
import { type ConfiguredBackend, findConfiguredBackend } from '../trust/backend-trust.js';
import { describeMissingKey, withAgentAccess } from './agent-access.js';
import { chooseSandboxIncludes, type SandboxIncludes } from './included-patterns.js';
import { describeSandbox } from './sandbox-settings.js';
import { findTemplateRepositories, type TemplateRepositories } from './template-repositories.js';

/** The configuration and the template of one new workspace, resolved: durations in ms, sizes in bytes. */
export interface Settings {
  readonly template: string | null;
  /** The mode and strategy of a workspace for which the caller names none. */
  readonly isolation: ChosenIsolation;
  readonly onUnavailable: OnUnavailable;
  /** The user's own file says `isolation.onUnavailable: degrade`. */
  readonly userAllowsLess: boolean;
  readonly root: string | null;
  readonly branchPrefix: string;
  readonly include: readonly string[];
  /** Instead of those, for a sandbox. */
  readonly sandboxInclude: SandboxIncludes;
  readonly environment: Readonly<Record<string, string>>;
  readonly setup: readonly string[];
  readonly setupTimeoutMs: number;
  readonly install: 'auto' | 'off';
  readonly installTimeoutMs: number;
  readonly files: 'auto' | 'checkout' | 'overlay';
  readonly submodules: 'init' | 'skip';
  readonly pool: EffectiveConfig['pool'];
  /** The sandbox around commands when the isolation is `full`. */
  readonly sandbox: SandboxSettings;
  /** What the agent of the template lacks in a sandbox. */
  readonly missingKey: string | null;
  /** Whether a file of the repository affects that: image, limits, variables. */
  readonly isShapedByRepository: boolean;
  readonly runtime: EffectiveConfig['sandbox']['runtime'];
  readonly ports: { readonly from: number; readonly to: number };
  readonly limits: {
    readonly count?: number | undefined;
    readonly bytes?: number | undefined;
    readonly freeDisk: number;
  };
  /** Every command in the repository's own files, for this template or another; what `carrel trust` is about. */
  readonly repositoryCommands: readonly string[];
  /** The backend of a user that the configuration names. */
  readonly backend: ConfiguredBackend | null;
  /** Other repositories that the template names. */
  readonly repositories: TemplateRepositories | null;
}

export async function applyTemplate(
  context: Pick<Context, 'places' | 'environment' | 'loadConfig'>,
  repository: Pick<Repository, 'root'>,
  name: string | undefined,
): Promise<Settings> {
  const loaded = await context.loadConfig(repository.root);
  const { config } = loaded;
  const template = name === undefined ? undefined : requireTemplate(config, name);
  const { workspace } = config;
  // A file of the repository must not hand out the user's keys.
  const agent = loaded.fromRepository(`templates.${name}.agent`)
    ? undefined
    : findKnownPreset(template?.agent);
  const configured = describeSandbox(config, template);
  const described = agent ? withAgentAccess(context, configured, agent) : configured;
  const sandbox = await withOwnImage(described, repository);
  return {
    template: name ?? null,
    isolation: chooseWorkspaceIsolation(loaded, name),
    onUnavailable: config.isolation.onUnavailable,
    userAllowsLess: loaded.userValue(['isolation', 'onUnavailable']) === 'degrade',
    root: workspace.root ?? null,
    branchPrefix: template?.branchPrefix ?? workspace.branchPrefix,
    include: [...workspace.include, ...(template?.include ?? [])],
    sandboxInclude: chooseSandboxIncludes(loaded, name),
    environment: template?.environment ?? {},
    setup: template?.setup ?? workspace.setup,
    setupTimeoutMs: parseDuration(workspace.setupTimeout),
    install: template?.install ?? workspace.install,
    installTimeoutMs: parseDuration(workspace.installTimeout),
    files: workspace.files,
    submodules: workspace.submodules,
    pool: config.pool,
    sandbox,
    missingKey: agent ? describeMissingKey(context, agent) : null,
    isShapedByRepository:
      sandbox !== described ||
      loaded.fromRepository('workspace.container') ||
      loaded.fromRepository(`templates.${name}`),
    runtime: chosenRuntime(config, template),
    ports: workspace.ports,
    limits: {
      count: workspace.limits.count,
      bytes: workspace.limits.bytes === undefined ? undefined : parseSize(workspace.limits.bytes),
      freeDisk: parseSize(workspace.limits.freeDisk),
    },
    repositoryCommands: listRepositoryCommands(loaded),
    backend: findConfiguredBackend(loaded, repository.root, context.places),
    repositories: findTemplateRepositories(loaded, name),
  };
}

/** Where no image is named, the one of the repository's Dockerfile, built by `carrel image build`. */
async function withOwnImage(
  sandbox: SandboxSettings,
  { root }: Pick<Repository, 'root'>,
): Promise<SandboxSettings> {
  if (sandbox.image !== null || !existsSync(join(root, '.carrel', 'Dockerfile'))) return sandbox;
  const { readDockerfile } = await import('../../runtime/dockerfile-image.js');
  return { ...sandbox, image: (await readDockerfile(root))?.image ?? null };
}

/** `host` in a template leaves the choice to the isolation mode. */
function chosenRuntime(
  config: EffectiveConfig,
  template: EffectiveConfig['templates'][string] | undefined,
): Settings['runtime'] {
  const { runtime } = template ?? {};
  return runtime === undefined || runtime === 'host' ? config.sandbox.runtime : runtime;
}

function requireTemplate(config: EffectiveConfig, name: string): EffectiveConfig['templates'][string] {
  const template = Object.hasOwn(config.templates, name) ? config.templates[name] : undefined;
  if (template) return template;
  const known = Object.keys(config.templates).sort();
  throw carrelError('UNKNOWN_TEMPLATE', { name, known, nearest: nearest(name, known) });
}

/** Installing runs scripts of the repository's packages, so it counts as a command. */
export function listRepositoryCommands({ config, fromRepository }: LoadedConfig): string[] {
  const install = (key: string, value: string | undefined) =>
    value === 'auto' && fromRepository(key) ? [`${key}: auto`] : [];
  const setup = (key: string, commands: readonly string[] | undefined) =>
    fromRepository(key) ? [...(commands ?? [])] : [];
  const templates = Object.entries(config.templates).flatMap(([name, template]) => [
    ...setup(`templates.${name}.setup`, template?.setup),
    ...install(`templates.${name}.install`, template?.install),
  ]);
  return [
    ...setup('workspace.setup', config.workspace.setup),
    ...install('workspace.install', config.workspace.install),
    ...templates,
  ];
}
