import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { AgentNameSchema, AgentSchema, TaskLimitsSchema } from '../domain/agent.js';
import { parseAllowedPlace } from '../domain/allowed-place.js';
import { IsolationConfigSchema } from '../domain/isolation.js';
import { DurationSchema, SizeSchema } from '../domain/quantity-schema.js';
import { SandboxConfigSchema } from '../domain/sandbox.js';
import {
  BranchPrefixSchema,
  IncludeSchema,
  InstallSchema,
  SetupSchema,
  TemplateSchema,
} from '../domain/template.js';
import { ExpectationSchema } from '../domain/validation.js';
import { WorkspaceDefaultsSchema } from '../domain/workspace-config.js';
import { regenerable } from './regenerable.js';

// A default here stands in defaults.ts as well, so that a machine without configuration files needs no zod; a test
// keeps the two equal. Every key has a description because the reference page is made from them.

const ProjectSchema = z.strictObject({
  name: z.string().min(1).optional().describe('name of the project, for people'),
  language: z.string().min(1).optional().describe('main programming language, for people and agents'),
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
  count: z.int().min(1).optional().describe('most workspaces of one repository; unlimited when left out'),
  bytes: SizeSchema.optional().describe(
    'most bytes of all workspaces together, such as 20g; unlimited when left out',
  ),
  freeDisk: SizeSchema.optional().default('512m').describe('disk space that must stay free'),
});

const WorkspaceSectionSchema = WorkspaceDefaultsSchema.extend({
  root: z
    .string()
    .refine(isAbsolute, 'an absolute path')
    .optional()
    .describe("where workspaces are put; the cache directory when left out; in the user's file only"),
  branchPrefix: BranchPrefixSchema.optional()
    .default('carrel/')
    .describe("goes before a workspace's name in its branch"),
  include: IncludeSchema.optional()
    .default([])
    .describe('ignored files to bring along, such as ".env*", besides those of .worktreeinclude'),
  setup: SetupSchema.optional()
    .default([])
    .describe("commands to run in a new workspace; a repository's run after `carrel trust` only"),
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
      'how the files come to be: auto (the fastest way that leaves an ordinary worktree), checkout, or overlay',
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
    .describe("command that `carrel open` starts, such as code; in the user's file only"),
  ports: PortsSchema.prefault({}).describe('range that the ten ports of each workspace are taken from'),
  limits: LimitsSchema.prefault({}).describe('when `carrel up` refuses'),
});

const PoolSchema = z.strictObject({
  size: z.int().min(1).max(1000).optional().default(8).describe('most warm workspaces of one repository'),
  spare: z
    .union([z.enum(['auto', 'off']), z.int().min(0).max(16)], 'auto, off or a number')
    .optional()
    .default('auto')
    .describe(
      'warm workspaces kept ready for `carrel up`: auto (one, where a checkout takes long), off, or how many',
    ),
  keep: z
    .array(z.string().regex(/^[^/]+(\/[^/]+)*$/, 'a path in the workspace, without "/" at its ends'))
    .optional()
    .default([])
    .describe(
      'ignored directories that outlive a lease, such as node_modules; thrown away when a lock file changes',
    ),
  overlay: z
    .enum(['auto', 'off'])
    .optional()
    .default('auto')
    .describe('whether warm workspaces share their files where the kernel can: auto or off'),
});

const SnapshotsSchema = z.strictObject({
  keepDays: z
    .int()
    .min(1)
    .optional()
    .default(30)
    .describe("days that a snapshot can be restored; in the user's file only"),
  ignoredLimit: SizeSchema.optional()
    .default('100m')
    .describe("ignored files that a snapshot takes along, at most; in the user's file only"),
  regenerable: z
    .array(z.string().regex(/^[^/]+$/, 'the name of a directory, without "/"'))
    .optional()
    .default(regenerable)
    .describe(
      "directories that tools make again; snapshots leave them out when git ignores them; in the user's file only",
    ),
});

const TasksSchema = z.strictObject({
  workflow: z
    .string()
    .min(1)
    .optional()
    .default('feature')
    .describe('workflow of `carrel run` without --workflow'),
  agent: AgentNameSchema.optional()
    .default('claude')
    .describe('what agents run with that name neither preset nor command: a preset or an agent of yours'),
  concurrency: z
    .int()
    .min(1)
    .max(1000)
    .optional()
    .default(4)
    .describe("tasks that run at the same time on this machine; in the user's file only"),
  onInterruption: z
    .enum(['report', 'resume'])
    .optional()
    .default('report')
    .describe(
      "what to do about a task whose process died: report it, or resume it in the background; in the user's file only",
    ),
  retryDelay: DurationSchema.optional()
    .default('5s')
    .describe('time before the second attempt of a stage; twice as long each time after that'),
  limits: TaskLimitsSchema.prefault({}).describe("what one task may use at most; in the user's file only"),
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
    .describe("its port; 0 for any that is free; in the user's file only"),
  hostNames: z
    .array(z.string().min(1))
    .optional()
    .default([])
    .describe(
      "names beside localhost and the address by which it may be called, such as those of a proxy before it; in the user's file only",
    ),
  allow: z
    .array(
      z.string().refine(value => {
        const place = parseAllowedPlace(value);
        return place?.kind === 'url' || isAbsolute(place?.path ?? '');
      }, 'an absolute path, or the beginning of an https, ssh or file url'),
    )
    .optional()
    .default([])
    .describe(
      "where repositories may lie that requests name: directories, and beginnings of urls; the repository that it is started in always may; in the user's file only",
    ),
});

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
    project: ProjectSchema.prefault({}).describe('what the repository is'),
    isolation: IsolationConfigSchema.extend({
      overrides: IsolationConfigSchema.shape.overrides.default({}),
    })
      .prefault({})
      .describe('how far tasks are kept apart'),
    workspace: WorkspaceSectionSchema.prefault({}).describe('how workspaces are made and removed'),
    sandbox: SandboxConfigSchema.prefault({}).describe('what stands around the commands of `full` isolation'),
    tasks: TasksSchema.prefault({}).describe('how tasks are executed'),
    agents: z
      .record(AgentNameSchema, AgentSchema)
      .optional()
      .default({})
      .describe('agents for the stages of workflows, by name; .carrel/agents/NAME.md defines one as well'),
    pool: PoolSchema.prefault({}).describe('workspaces that are kept warm'),
    snapshots: SnapshotsSchema.prefault({}).describe('what is kept of removed workspaces'),
    server: ServerSchema.prefault({}).describe(
      "how `carrel serve` is reached, and what for; in the user's file only",
    ),
    templates: z
      .record(TemplateNameSchema, TemplateSchema)
      .optional()
      .default({})
      .describe(
        'bundles for `carrel up --template NAME`; claude, codex, gemini and shell ship and can be changed here',
      ),
  })
  .meta({ id: 'config', title: 'Configuration' });

/** A configuration as a person writes it: everything may be left out. */
export type CarrelConfig = z.input<typeof ConfigSchema>;
