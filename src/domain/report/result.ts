import { z } from 'zod';
import { LIMIT_NAMES } from '../sandbox/runtime-finding.js';
import { OmittedFileSchema } from '../snapshot/snapshot.js';
import { AutorunFileSchema } from '../workspace/autorun-file.js';

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
    snapshot: z
      .string()
      .nullable()
      .describe('the snapshot for `carrel restore`; null when nothing was deleted'),
    omitted: z
      .array(OmittedFileSchema)
      .describe('deleted files that are not in the snapshot, so `carrel restore` does not restore them'),
    keptFiles: z.boolean().describe("true for a user's directory, of which only the record is removed"),
    deletedBranch: z.string().nullable(),
    keptBranch: z.string().nullable(),
    stopped: z.array(z.int()).describe('processes that were stopped'),
    warnings: z.array(z.string()),
    repositories: z
      .array(
        z.object({
          alias: z.string(),
          id: z.string(),
          path: z.string(),
          snapshot: z.string().nullable(),
          deletedBranch: z.string().nullable(),
          keptBranch: z.string().nullable(),
        }),
      )
      .optional()
      .describe(
        'in a workspace with several repositories: what was done in each; the first is the one above',
      ),
  })
  .meta({ id: 'removal', title: 'What `carrel down` did' });
/** What removing a workspace did, and the snapshot for `restore`. */
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
    autorunFiles: z
      .array(AutorunFileSchema)
      .describe('files that it added or changed on the branch and that run automatically'),
    warnings: z.array(z.string()),
    repositories: z
      .array(
        z.object({
          alias: z.string(),
          id: z.string(),
          into: z.string(),
          before: z.string(),
          after: z.string(),
          commits: z.int(),
          updatedCheckouts: z.array(z.string()),
        }),
      )
      .optional()
      .describe(
        'in a workspace with several repositories: those with new commits; the branch above is that of the first',
      ),
  })
  .meta({ id: 'landing', title: 'What `carrel land` did' });
/** What landing did: the branch before and after, and the removal of the workspace. */
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
    limit: z.enum(LIMIT_NAMES).optional().describe('the sandbox limit that the command reached'),
    sandboxDied: z
      .boolean()
      .optional()
      .describe('true when the sandbox stopped before the command, so its progress is unknown'),
  })
  .meta({ id: 'command-result', title: 'What `carrel exec` did' });
/** How a command in a workspace finished, with its output. */
export type ExecResult = z.infer<typeof ExecResultSchema>;

/** A connection that a sandbox's network blocked. */
export const RefusedConnectionSchema = z.object({
  at: z.iso.datetime(),
  host: z.string(),
  port: z.int(),
  reason: z.string(),
});
export type RefusedConnection = z.infer<typeof RefusedConnectionSchema>;

const GcItemSchema = z.object({
  kind: z.enum(['workspace', 'slot', 'snapshot', 'task', 'kept-files', 'batch']),
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
/** What `carrel gc` would remove, or has removed, and how many bytes that frees. */
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
    repairs: z.array(z.string()).optional().describe('what `--repair` did, before the checks'),
    snapshots: z
      .array(
        z.object({
          id: z.string(),
          workspace: z.string(),
          repository: z.string(),
          status: z
            .enum(['ok', 'broken', 'skipped'])
            .describe('skipped: not enough disk space to restore it'),
          problems: z.array(z.string()),
          hint: z.string().nullable(),
        }),
      )
      .optional()
      .describe('with `--deep`: every snapshot, verified by restoring it'),
  })
  .meta({ id: 'doctor', title: 'What `carrel doctor` found' });
/** The checks of `carrel doctor`, each with a status and a hint. */
export type DoctorReport = z.infer<typeof DoctorReportSchema>;

export const InitResultSchema = z
  .object({
    repository: z.string(),
    written: z.array(z.string()),
    kept: z.array(z.string()).describe('files that already existed'),
    untranslated: z
      .array(z.object({ file: z.string(), key: z.string(), reason: z.string() }))
      .describe('with --from: settings of the other tool that were left out'),
    warnings: z.array(z.string()),
  })
  .meta({ id: 'init', title: 'What `carrel init` did' });
/** The files that `carrel init` wrote, and those that already existed. */
export type InitResult = z.infer<typeof InitResultSchema>;

export const TrustReportSchema = z
  .object({
    repository: z.string(),
    commands: z.array(z.string()).describe('the commands that the repository would run now'),
    trusted: z.boolean().describe('whether exactly these commands are approved'),
    grants: z.array(z.object({ commands: z.array(z.string()), grantedAt: z.iso.datetime() })),
    revoked: z.int(),
  })
  .meta({ id: 'trust', title: 'What the repository may run' });
/** The commands that a repository defines, and whether the user approved them. */
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

export const OpeningSchema = z
  .object({ command: z.string(), path: z.string() })
  .meta({ id: 'opening', title: 'What `carrel open` started' });

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
