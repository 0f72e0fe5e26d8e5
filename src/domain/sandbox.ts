import { isAbsolute } from 'node:path';
import { z } from 'zod';

/** How much of the network is seen from inside. */
const NetworkSchema = z.enum(['none', 'allowlist', 'full']);
export type Network = z.infer<typeof NetworkSchema>;

/** A host, or all below a domain, with a port or without: then 443 and 80. */
export const AllowedHostSchema = z
  .string()
  .regex(
    /^(\[[0-9a-f:.]+\]|(\*\.)?[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*)(:\d{1,5})?$/i,
    'a host with or without a port, such as "api.example.com", "*.example.com" or "localhost:8080"',
  );

const VariableNameSchema = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'the name of a variable');

/** The section `sandbox` of the configuration; all of it in the user's file only. */
export const SandboxConfigSchema = z
  .strictObject({
    runtime: z
      .enum(['auto', 'bubblewrap', 'podman', 'docker'])
      .optional()
      .default('auto')
      .describe("what makes the sandbox: auto, bubblewrap, podman or docker; in the user's file only"),
    git: z
      .enum(['private', 'surgical'])
      .optional()
      .default('private')
      .describe(
        "git inside: private (a git directory of its own) or surgical (the repository's own, weaker: see the guide); in the user's file only",
      ),
    network: NetworkSchema.optional()
      .default('allowlist')
      .describe(
        "network inside: none, allowlist (only the hosts of sandbox.allow) or full; in the user's file only",
      ),
    allow: z
      .array(AllowedHostSchema)
      .optional()
      .default([])
      .describe(
        `hosts that \`allowlist\` lets through, such as "api.example.com" or "*.example.com:443"; in the user's file only`,
      ),
    nested: z
      .enum(['deny', 'allow'])
      .optional()
      .default('deny')
      .describe(
        "whether a program inside may make sandboxes of its own; allow is weaker: see the guide; in the user's file only",
      ),
    limits: z
      .enum(['enforce', 'best-effort'])
      .optional()
      .default('enforce')
      .describe(
        "what to do about a limit that can not be enforced here: enforce refuses, best-effort warns; in the user's file only",
      ),
    passEnvironment: z
      .array(VariableNameSchema)
      .optional()
      .default([])
      .describe(
        "variables of yours that are seen inside, such as ANTHROPIC_API_KEY; in the user's file only",
      ),
    readable: z
      .array(z.string().refine(isAbsolute, 'an absolute path'))
      .optional()
      .default([])
      .describe("directories of yours that can be read inside, at the same path; in the user's file only"),
    privileged: z
      .boolean()
      .optional()
      .default(false)
      .describe(
        "run containers with all rights of the host; this is no sandbox any more; in the user's file only",
      ),
    engineSocket: z
      .boolean()
      .optional()
      .default(false)
      .describe(
        "let containers talk to their engine; whoever can is as good as the engine's user; in the user's file only",
      ),
  })
  .refine(({ git, nested }) => git === 'private' || nested === 'deny', {
    path: ['nested'],
    // What is read-only within something writable can be uncovered then: where git looks for its configuration is.
    error: 'deny, together with sandbox.git: surgical',
  });

const LimitsSchema = z.object({
  cpu: z.number().optional().describe('processors'),
  memory: z.number().optional().describe('bytes'),
  memorySwap: z.number().optional().describe('bytes of memory and swap together'),
  pids: z.int().optional().describe('processes and threads at the same time'),
  fileSize: z.number().optional().describe('bytes of one file'),
  disk: z.number().optional().describe('bytes of the workspace and the private home together'),
  time: z.number().optional().describe('milliseconds of one command'),
});
export type Limits = Readonly<z.infer<typeof LimitsSchema>>;

/** What stands around the commands of one workspace, as decided when it was made. Nothing in it changes later. */
export const SandboxSchema = z.object({
  git: z.enum(['private', 'surgical']),
  network: NetworkSchema,
  allow: z.array(z.string()),
  nested: z.boolean(),
  limits: LimitsSchema,
  enforcement: z.enum(['enforce', 'best-effort']),
  image: z
    .string()
    .nullable()
    .describe('null for the machine itself, or an image that Carrel builds from it'),
  user: z.string().nullable(),
  workingDirectory: z.string().nullable(),
  environment: z.record(z.string(), z.string()).describe('variables with their values'),
  passEnvironment: z.array(z.string()).describe("names of the caller's variables that are passed on"),
  readable: z.array(z.string()),
  volumes: z.array(z.object({ from: z.string(), to: z.string() })),
  privileged: z.boolean(),
  engineSocket: z.boolean(),
});
export type SandboxSettings = Readonly<z.infer<typeof SandboxSchema>>;
