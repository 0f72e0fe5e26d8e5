import { z } from 'zod';
import { LIMIT_NAMES } from './runtime.js';

export const RiskSchema = z.object({
  kind: z.string(),
  message: z.string(),
  items: z.array(z.string()),
  flag: z
    .string()
    .nullable()
    .describe('the option of `carrel down` that accepts this risk; null when none does'),
  advice: z.string(),
});

export const RemovalResultSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    path: z.string(),
    snapshot: z.string().nullable().describe('what `carrel restore` takes; null when nothing was deleted'),
    keptFiles: z.boolean().describe('true for a directory of the user, which is only forgotten'),
    deletedBranch: z.string().nullable(),
    keptBranch: z.string().nullable(),
    stopped: z.array(z.int()).describe('processes that were ended'),
    warnings: z.array(z.string()),
  })
  .meta({ id: 'removal', title: 'What `carrel down` did' });
export type RemovalResult = z.infer<typeof RemovalResultSchema>;

export const LandResultSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    into: z.string(),
    strategy: z.enum(['merge', 'squash', 'rebase']),
    before: z.string(),
    after: z.string(),
    commits: z.int(),
    updatedCheckouts: z.array(z.string()),
    removed: RemovalResultSchema.nullable().describe('null when the workspace was kept'),
    warnings: z.array(z.string()),
  })
  .meta({ id: 'landing', title: 'What `carrel land` did' });
export type LandResult = z.infer<typeof LandResultSchema>;

export const ExecResultSchema = z
  .object({
    exitCode: z.int().nullable(),
    signal: z.string().nullable(),
    timedOut: z.boolean(),
    cancelled: z.boolean(),
    durationMs: z.int(),
    stdout: z.string(),
    stderr: z.string(),
    truncated: z.boolean(),
    limit: z.enum(LIMIT_NAMES).optional().describe('the limit of the sandbox that the command ran into'),
    sandboxDied: z
      .boolean()
      .optional()
      .describe('true when the sandbox ended before the command: nobody knows how far it came'),
  })
  .meta({ id: 'command-result', title: 'What `carrel exec` did' });
export type ExecResult = z.infer<typeof ExecResultSchema>;

/** A connection that a sandbox's network did not let through. */
export const RefusedConnectionSchema = z.object({
  at: z.iso.datetime(),
  host: z.string(),
  port: z.int(),
  reason: z.string(),
});
export type RefusedConnection = z.infer<typeof RefusedConnectionSchema>;

const GcItemSchema = z.object({
  kind: z.enum(['workspace', 'slot', 'snapshot', 'task', 'kept-files']),
  id: z.string(),
  name: z.string(),
  path: z.string().nullable(),
  action: z.enum(['remove', 'keep']),
  reason: z.string(),
  bytes: z.int().nullable(),
  outcome: z.enum(['planned', 'removed', 'kept', 'failed']),
});
export type GcItem = z.infer<typeof GcItemSchema>;

export const GcReportSchema = z
  .object({
    executed: z.boolean().describe('false for a plan'),
    olderThanMs: z.int(),
    items: z.array(GcItemSchema),
    freedBytes: z.int(),
  })
  .meta({ id: 'gc', title: 'The plan or result of `carrel gc`' });
export type GcReport = z.infer<typeof GcReportSchema>;

export const DoctorReportSchema = z
  .object({
    healthy: z.boolean(),
    checks: z.array(
      z.object({
        name: z.string(),
        status: z.enum(['ok', 'warning', 'problem', 'absent']),
        message: z.string(),
        hint: z.string().nullable(),
      }),
    ),
  })
  .meta({ id: 'doctor', title: 'What `carrel doctor` found' });
export type DoctorReport = z.infer<typeof DoctorReportSchema>;

export const InitResultSchema = z
  .object({
    repository: z.string(),
    written: z.array(z.string()),
    kept: z.array(z.string()).describe('files that were there already'),
    warnings: z.array(z.string()),
  })
  .meta({ id: 'init', title: 'What `carrel init` did' });
export type InitResult = z.infer<typeof InitResultSchema>;

export const TrustReportSchema = z
  .object({
    repository: z.string(),
    commands: z.array(z.string()).describe('what the repository would run now'),
    trusted: z.boolean().describe('whether exactly these commands are approved'),
    grants: z.array(z.object({ commands: z.array(z.string()), grantedAt: z.iso.datetime() })),
    revoked: z.int(),
  })
  .meta({ id: 'trust', title: 'What the repository may run' });
export type TrustReport = z.infer<typeof TrustReportSchema>;

export const ConfigReportSchema = z
  .object({
    files: z.array(z.string()),
    values: z.array(z.object({ key: z.string(), value: z.unknown(), origin: z.string() })),
  })
  .meta({ id: 'config-report', title: 'The configuration in force' });
export type ConfigReport = z.infer<typeof ConfigReportSchema>;

export const PathReportSchema = z
  .object({ path: z.string() })
  .meta({ id: 'path', title: 'Where a workspace is' });

export const ErrorReportSchema = z
  .object({
    error: z.object({
      code: z.string(),
      kind: z.string(),
      message: z.string(),
      hint: z.string(),
      details: z.record(z.string(), z.unknown()),
    }),
  })
  .meta({ id: 'error', title: 'A failure, with --json' });
