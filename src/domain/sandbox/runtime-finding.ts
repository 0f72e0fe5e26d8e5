import { z } from 'zod';

/** Where the commands of a workspace run. `dummy` runs nothing and is for tests. */
export const RuntimeNameSchema = z.enum(['host', 'bubblewrap', 'podman', 'docker', 'seatbelt', 'dummy']);
export type RuntimeName = z.infer<typeof RuntimeNameSchema>;

/** The limits of a sandbox. A runtime can't enforce a limit on this machine that it does not list. */
export const LIMIT_NAMES = ['cpu', 'memory', 'pids', 'fileSize', 'disk', 'time'] as const;
export type LimitName = (typeof LIMIT_NAMES)[number];

const ObstacleSchema = z.enum([
  /** It belongs to another operating system. */
  'unsupported-system',
  'not-installed',
  /** Installed, but the kernel or the machine's settings refuse what it needs. */
  'refused',
  'too-old',
  'daemon-not-running',
  'unsafe-as-root',
]);
export type RuntimeObstacle = z.infer<typeof ObstacleSchema>;

/** What a trial run with the real flags found out about a runtime on this machine. */
export const RuntimeFindingSchema = z
  .object({
    runtime: RuntimeNameSchema,
    obstacle: ObstacleSchema.nullable().describe('why it cannot be used; null when it works'),
    version: z.string().nullable(),
    message: z.string().describe('what was found, in one sentence'),
    hint: z.string().nullable().describe('what to do about it'),
    limits: z.array(z.enum(LIMIT_NAMES)).describe('the limits that it can enforce here'),
    warnings: z.array(z.string()),
    needsImage: z
      .literal(true)
      .optional()
      .describe("present when it cannot create a sandbox from this machine's programs"),
  })
  .meta({ id: 'runtime', title: 'A runtime on this machine' });
export type RuntimeFinding = z.infer<typeof RuntimeFindingSchema>;
