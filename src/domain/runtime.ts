import { z } from 'zod';

/** Where the commands of a workspace run. `dummy` runs nothing and is for tests. */
export const RuntimeNameSchema = z.enum(['host', 'bubblewrap', 'podman', 'docker', 'dummy']);
export type RuntimeName = z.infer<typeof RuntimeNameSchema>;

/** What a sandbox can be held to. A limit that a runtime does not list can't be enforced by it on this machine. */
export const LIMIT_NAMES = ['cpu', 'memory', 'pids', 'fileSize', 'disk', 'time'] as const;
export type LimitName = (typeof LIMIT_NAMES)[number];

const ObstacleSchema = z.enum([
  'not-installed',
  /** Installed, and the kernel or the machine's settings refuse what it needs. */
  'refused',
  'too-old',
  'daemon-not-running',
  'unsafe-as-root',
]);
export type RuntimeObstacle = z.infer<typeof ObstacleSchema>;

/** What running the real flags once told of a runtime on this machine. */
export const RuntimeFindingSchema = z
  .object({
    runtime: RuntimeNameSchema,
    obstacle: ObstacleSchema.nullable().describe('why it can not be used; null when it works'),
    version: z.string().nullable(),
    message: z.string().describe('what was found, in one sentence'),
    hint: z.string().nullable().describe('what to do about it'),
    limits: z.array(z.enum(LIMIT_NAMES)).describe('the limits that it can enforce here'),
    warnings: z.array(z.string()),
  })
  .meta({ id: 'runtime', title: 'A runtime on this machine' });
export type RuntimeFinding = z.infer<typeof RuntimeFindingSchema>;
