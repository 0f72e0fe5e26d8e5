import { z } from 'zod';
import { DurationSchema, SizeSchema } from '../quantity/quantity-schema.js';

/** Resource limits of a sandboxed process. */
export const ResourceLimitsSchema = z.strictObject({
  cpu: z.number().min(0.1).optional().describe('processors, such as 2 or 0.5'),
  memory: SizeSchema.optional().describe('memory, such as "2g"'),
  memorySwap: SizeSchema.optional().describe('memory and swap together, such as "3g"'),
  pids: z.int().min(1).optional().describe('processes at the same time'),
  fileSize: SizeSchema.optional().describe('size of one file, such as "1g"'),
  disk: SizeSchema.optional().describe(
    'total size of all files in the workspace and the private home, such as "10g"',
  ),
  time: DurationSchema.optional().describe('time limit of one command, such as "2h"'),
});

export const VariableNameSchema = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'the name of a variable: letters, digits and "_"');

export const EnvironmentSchema = z.record(VariableNameSchema, z.string());

/** The container of a workspace with `full` isolation. */
export const ContainerConfigSchema = z.strictObject({
  image: z.string().min(1).optional().describe('container image, such as "node:20-alpine"'),
  resourceLimits: ResourceLimitsSchema.optional().describe('resource limits of the container'),
  networkMode: z
    .enum(['none', 'bridge'])
    .optional()
    .describe("network of the container: none, or bridge for the engine's own; in the user's file only"),
  environment: EnvironmentSchema.optional().describe('variables inside the container'),
  volumes: z
    .record(
      z.string().startsWith('/', 'an absolute path on the host'),
      z.string().startsWith('/', 'an absolute path'),
    )
    .optional()
    .describe("additional host directories and their mount points; in the user's file only"),
  user: z
    .string()
    .min(1)
    .optional()
    .describe(`user inside the container, such as "1000:1000"; in the user's file only`),
  workingDir: z
    .string()
    .startsWith('/', 'an absolute path')
    .optional()
    .describe('directory that commands start in'),
});
/** The container of a workspace: image, mounts, variables, network and limits. */
export type ContainerConfig = z.infer<typeof ContainerConfigSchema>;

/** The same shape, as the default of every container. */
export const ContainerDefaultsSchema = ContainerConfigSchema.describe('the container of `full` isolation');
