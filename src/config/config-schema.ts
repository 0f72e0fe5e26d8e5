import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { AgentNameSchema, AgentSchema, TaskLimitsSchema } from '../domain/agent/agent.js';
import { parseAllowedPlace } from '../domain/api/allowed-place.js';
import { WEBHOOK_EVENTS } from '../domain/event.js';
import { WorkspaceDefaultsSchema } from '../domain/isolation/workspace-config.js';
import { IsolationConfigSchema } from '../domain/isolation.js';
import { DurationSchema, SizeSchema } from '../domain/quantity/quantity-schema.js';
import { SandboxConfigSchema } from '../domain/sandbox/sandbox.js';
import { ExpectationSchema } from '../domain/workflow/validation.js';
import {
  BranchPrefixSchema,
  IncludeSchema,
  InstallSchema,
  SetupSchema,
  TemplateSchema,
} from '../domain/workspace/template.js';
import { regenerable } from './defaults/regenerable-directories.js';

// Each default is also in defaults.ts, so that a machine without configuration files needs no zod; a test keeps the two
// equal. Every key has a description because the reference page is generated from them.

const ProjectSchema = z.strictObject({
  name: z.string().min(1).optional().describe('name of the project'),
  language: z.string().min(1).optional().describe('main programming language'),
});

const PORTS_PER_WORKSPACE = 10;

const PortSchema = z.int().min(1024).max(65_535);

const PortsSchema = z
  .strictObject({
    from: PortSchema.optional().default(20_000).describe('first port'),
    to: PortSchema.optional().default(31_999).describe('last port'),
  })
  .check(({ value, issues }) => {
    if (value.to - value.from >= PORTS_PER_WORKSPACE - 1) return;
    const message = `room for ${PORTS_PER_WORKSPACE} ports`;
    issues.push({ code: 'custom', input: value, message, params: { found: `${value.from} to ${value.to}` } });
  });

const LimitsSchema = z.strictObject({
  count: z
    .int()
    .min(1)
    .optional()
    .describe('maximum number of workspaces of one repository (default: unlimited)'),
  bytes: SizeSchema.optional().describe(
    'maximum size of all workspaces together, such as 20g (default: unlimited)',
  ),
  freeDisk: SizeSchema.optional().default('512m').describe('disk space that must stay free'),
});

const WorkspaceSectionSchema = WorkspaceDefaultsSchema.extend({
  root: z
    .string()
    .refine(isAbsolute, 'an absolute path')
    .optional()
    .describe("directory for workspaces (default: the cache directory); in the user's file only"),
  branchPrefix: BranchPrefixSchema.optional()
    .default('carrel/')
    .describe('prefix of the branch of a workspace, before its name'),
  include: IncludeSchema.optional()
    .default([])
    .describe('ignored files to copy, such as ".env*", in addition to .worktreeinclude'),
  setup: SetupSchema.optional()
    .default([])
    .describe('commands to run in a new workspace; those of a repository run only after `carrel trust`'),
  setupTimeout: DurationSchema.optional().default('10m').describe('time limit of one setup command'),
  install: InstallSchema.optional()
    .default('off')
    .describe(
      'install dependencies in a new workspace: auto (by lock file) or off; runs code of the repository',
    ),
  installTimeout: DurationSchema.optional().default('10m').describe('time limit of installing dependencies'),
  files: z
    .enum(['auto', 'checkout', 'overlay'])
    .optional()
    .default('auto')
    .describe(
      'how the files are created: auto (the fastest way that results in an ordinary worktree), checkout, or overlay',
    ),
  backend: z
    .string()
    .min(1)
    .optional()
    .describe(
      'a module with another backend, such as ./my-backend.mjs (relative to this repository or to the user file), or a name that a program registered; one of a repository runs only after `carrel trust`',
    ),
  submodules: z
    .enum(['init', 'skip'])
    .optional()
    .default('init')
    .describe('submodules in a new workspace: init or skip'),
  editor: z
    .string()
    .min(1)
    .optional()
    .describe("command for `carrel open`, such as code; in the user's file only"),
  ports: PortsSchema.prefault({}).describe('range for the ten ports of each workspace'),
  limits: LimitsSchema.prefault({}).describe('limits beyond which `carrel up` refuses'),
});

const PoolSchema = z.strictObject({
  size: z
    .int()
    .min(1)
    .max(1000)
    .optional()
    .default(8)
    .describe('maximum number of warm workspaces of one repository'),
  spare: z
    .union([z.enum(['auto', 'off']), z.int().min(0).max(16)], 'auto, off or a number')
    .optional()
    .default('auto')
    .describe(
      'warm workspaces kept ready for `carrel up`: auto (one, if a checkout is slow), off, or a number',
    ),
  keep: z
    .array(
      z.string().regex(/^[^/]+(\/[^/]+)*$/, 'a path in the workspace, without a leading or trailing "/"'),
    )
    .optional()
    .default([])
    .describe(
      'ignored directories that are kept between leases, such as node_modules; deleted when a lock file changes',
    ),
  overlay: z
    .enum(['auto', 'off'])
    .optional()
    .default('auto')
    .describe('share files between warm workspaces if the kernel supports it: auto or off'),
});

const LandSchema = z.strictObject({
  autorunFiles: z
    .enum(['warn', 'refuse'])
    .optional()
    .default('warn')
    .describe(
      "what to do when landed work adds or changes files that run automatically, such as .vscode/tasks.json, .envrc or git hooks: warn or refuse; in the user's file only",
    ),
});

const SnapshotsSchema = z.strictObject({
  keepDays: z
    .int()
    .min(1)
    .optional()
    .default(30)
    .describe("days that a snapshot is kept; in the user's file only"),
  ignoredLimit: SizeSchema.optional()
    .default('100m')
    .describe("maximum size of the ignored files in a snapshot; in the user's file only"),
  regenerable: z
    .array(z.string().regex(/^[^/]+$/, 'the name of a directory, without "/"'))
    .optional()
    .default(regenerable)
    .describe(
      "directories that tools can regenerate; snapshots leave them out when git ignores them; in the user's file only",
    ),
  checkpoints: z
    .enum(['auto', 'off'])
    .optional()
    .default('auto')
    .describe("take automatic snapshots of workspaces in use: auto or off; in the user's file only"),
  checkpointMinutes: z
    .number()
    .positive()
    .max(1440)
    .optional()
    .default(5)
    .describe(
      "minutes between checkpoints while a command runs, if something changed; in the user's file only",
    ),
  checkpointsKept: z
    .int()
    .min(1)
    .max(100)
    .optional()
    .default(3)
    .describe("number of checkpoints of each workspace to keep, the newest; in the user's file only"),
});

const TasksSchema = z.strictObject({
  workflow: z.string().min(1).optional().default('feature').describe('default workflow of `carrel run`'),
  agent: AgentNameSchema.optional()
    .default('claude')
    .describe('agent for roles without a preset or command: a preset or one of your agents'),
  concurrency: z
    .int()
    .min(1)
    .max(1000)
    .optional()
    .default(4)
    .describe("maximum number of tasks at the same time on this machine; in the user's file only"),
  onInterruption: z
    .enum(['report', 'resume'])
    .optional()
    .default('report')
    .describe(
      "what to do about a task whose process died: report it, or resume it in the background; in the user's file only",
    ),
  retryDelay: DurationSchema.optional()
    .default('5s')
    .describe('delay before the second attempt of a stage; doubles with each further attempt'),
  limits: TaskLimitsSchema.prefault({}).describe("limits of one task; in the user's file only"),
  validation: z
    .array(ExpectationSchema)
    .optional()
    .default([])
    .describe('what must be true of the working tree after every task'),
});

const ServerSchema = z.strictObject({
  host: z
    .string()
    .min(1)
    .optional()
    .default('127.0.0.1')
    .describe("address that `carrel serve` listens on; in the user's file only"),
  port: z
    .int()
    .min(0)
    .max(65_535)
    .optional()
    .default(7717)
    .describe("port of the server; 0 for any free port; in the user's file only"),
  hostNames: z
    .array(z.string().min(1))
    .optional()
    .default([])
    .describe(
      "accepted host names in addition to localhost and the address, such as the name of a reverse proxy; in the user's file only",
    ),
  allow: z
    .array(
      z.string().refine(value => {
        const place = parseAllowedPlace(value);
        return place?.kind === 'url' || isAbsolute(place?.path ?? '');
      }, 'an absolute path, or the start of an https, ssh or file URL'),
    )
    .optional()
    .default([])
    .describe(
      "repositories that requests may name: directories and URL prefixes; the repository that the server starts in is always allowed; in the user's file only",
    ),
});

const WebhookSchema = z.strictObject({
  url: z
    .string()
    .refine(isWebAddress, 'an http or https address without a user name and password')
    .describe('where events are sent, with POST'),
  events: z
    .array(z.enum(WEBHOOK_EVENTS))
    .min(1)
    .describe('names of events, such as task.failed, or groups: task.*, stage.*, batch.* or *'),
  secret: z
    .strictObject({
      env: z
        .string()
        .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'the name of a variable')
        .describe('the variable with the secret'),
    })
    .describe('signs every request; a webhook whose variable is not set is not used'),
});

function isWebAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}

const TemplateNameSchema = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]*$/, 'the name of a template: letters, digits, "_" and "-"');

/** `.carrel/config.yaml`, and the user's own file of the same shape. */
export const ConfigSchema = z
  .strictObject({
    version: z
      .literal('1.0')
      .optional()
      .default('1.0')
      .describe('version of this file\'s format: "1.0", in quotes'),
    project: ProjectSchema.prefault({}).describe('the project'),
    isolation: IsolationConfigSchema.extend({
      overrides: IsolationConfigSchema.shape.overrides.default({}),
    })
      .prefault({})
      .describe('isolation modes of tasks'),
    workspace: WorkspaceSectionSchema.prefault({}).describe('how workspaces are created and removed'),
    sandbox: SandboxConfigSchema.prefault({}).describe('the sandbox of `full` isolation'),
    tasks: TasksSchema.prefault({}).describe('how tasks run'),
    agents: z
      .record(AgentNameSchema, AgentSchema)
      .optional()
      .default({})
      .describe(
        'agents for the stages of workflows, by name; they can also be defined in .carrel/agents/NAME.md',
      ),
    pool: PoolSchema.prefault({}).describe('warm workspaces'),
    land: LandSchema.prefault({}).describe("what `carrel land` accepts; in the user's file only"),
    snapshots: SnapshotsSchema.prefault({}).describe('snapshots of workspaces'),
    server: ServerSchema.prefault({}).describe(
      "address and permissions of `carrel serve`; in the user's file only",
    ),
    webhooks: z
      .array(WebhookSchema)
      .optional()
      .default([])
      .describe("addresses that get events of tasks and batches; in the user's file only"),
    templates: z
      .record(TemplateNameSchema, TemplateSchema)
      .optional()
      .default({})
      .describe(
        'settings for `carrel up --template NAME`; claude, codex, gemini and shell are built in and can be changed here',
      ),
  })
  .meta({ id: 'config', title: 'Configuration' });

/** A configuration as users write it: everything is optional. */
export type CarrelConfig = z.input<typeof ConfigSchema>;
