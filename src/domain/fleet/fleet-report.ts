import { z } from 'zod';

const ReportSchema = z.object({
  text: z.string().describe('what the host does for the job now'),
  costUsd: z.number().optional().describe('spent so far'),
});

const ClaimSchema = z.object({
  key: z.object({ run: z.string(), task: z.string(), attempt: z.int() }),
  host: z.string(),
  claim: z.int().describe('1 for the first claim of the job'),
  since: z.number().describe('by the clock of the database, in milliseconds since 1970'),
  report: ReportSchema.nullable(),
});

const HostSchema = z.object({
  id: z.string(),
  name: z.string(),
  labels: z.array(z.string()),
  slots: z.int().describe('number of attempts that it runs at once'),
  versions: z.record(z.string(), z.string()),
  diskFreeBytes: z.number().nullable(),
  state: z
    .enum(['working', 'draining', 'refusing', 'silent', 'gone'])
    .describe('silent: its claims can be given to other hosts; gone: its worker has exited'),
  refusing: z.string().nullable().describe('why it takes no jobs'),
  beatAt: z.number(),
  silentForMs: z.number(),
  claims: z.array(ClaimSchema),
});

const RunSchema = z.object({
  run: z.string(),
  parallelism: z.int(),
  costLimitUsd: z.number().nullable(),
  plan: z.string(),
  state: z.enum(['running', 'finished', 'cancelled']),
  submittedAt: z.number(),
  jobs: z.object({
    waiting: z.int(),
    open: z.int(),
    claimed: z.int(),
    done: z.int(),
    cancelled: z.int(),
  }),
  results: z.int().describe('the highest sequence of its results'),
  acknowledged: z.int().describe('the highest sequence that its submitter has'),
  spentUsd: z.number(),
  unknownUsd: z.number().describe('what dead hosts had reserved'),
  reservedUsd: z.number(),
});

/** The output of `fleet ls`. */
export const FleetSchema = z
  .object({
    hosts: z.array(HostSchema),
    runs: z.array(RunSchema),
    limits: z
      .array(z.object({ provider: z.string(), remainingMs: z.number() }))
      .describe('model hosts that refused an agent: no host takes their jobs for that long'),
  })
  .meta({ id: 'fleet', title: 'Hosts and runs of a fleet' });

/** The fleet that a server knows. */
export const FleetStatusSchema = z
  .object({
    fleet: z
      .string()
      .nullable()
      .describe('its address, without a password; null when no fleet is configured on this machine'),
    hosts: z.array(HostSchema),
    runs: z.array(
      RunSchema.omit({ plan: true }).extend({
        resultsPerMinute: z
          .number()
          .nullable()
          .describe('since the first of its last 20 results; null when it does not run or has no result'),
      }),
    ),
  })
  .meta({ id: 'fleet-status', title: 'The fleet that a server knows' });

/** The output of `fleet show`. */
export const FleetRunSchema = RunSchema.extend({
  claims: z.array(ClaimSchema).describe('what hosts do now'),
  left: z
    .array(z.object({ key: ClaimSchema.shape.key, reason: z.string() }))
    .describe('jobs that hosts did not take, and the last reason'),
}).meta({ id: 'fleet-run', title: 'One run of a fleet' });

/** The output of `fleet init`. */
export const FleetCreationSchema = z
  .object({
    fleet: z.string().describe('its address, for --on'),
    artifacts: z.string().describe('where files of jobs and results are'),
    key: z.string().describe('the public key that workers have to accept'),
  })
  .meta({ id: 'fleet-creation', title: 'What `carrel fleet init` created' });

/** The output of `fleet key`. */
export const FleetKeySchema = z
  .object({ key: z.string(), fingerprint: z.string() })
  .meta({ id: 'fleet-key', title: 'The public key of a submitter' });

/** The output of `fleet drain`. */
export const FleetDrainingSchema = z
  .object({ host: z.string() })
  .meta({ id: 'fleet-draining', title: 'A host that takes no more jobs' });

/** The output of `fleet gc`. */
export const FleetCleanupSchema = z
  .object({
    removed: z.int().describe('files that were removed, or would be with --dry-run'),
    freedBytes: z.number(),
    kept: z.int().describe('files that stay: too new, or needed by a run'),
    runs: z.array(z.string()).describe('runs that are not finished, or whose submitter lacks results'),
  })
  .meta({ id: 'fleet-cleanup', title: 'What `carrel fleet gc` removed' });

/** The output of `fleet template`. */
export const FleetTemplateSchema = z
  .object({ kind: z.string(), text: z.string() })
  .meta({ id: 'fleet-template', title: 'A file that starts workers' });

/** The output of `worker`, before its first job. */
export const WorkerSchema = z
  .object({ host: z.string(), name: z.string(), fleet: z.string(), slots: z.int() })
  .meta({ id: 'worker', title: 'A worker that is ready' });
