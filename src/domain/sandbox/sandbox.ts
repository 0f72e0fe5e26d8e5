import { isAbsolute } from 'node:path';
import { z } from 'zod';

/** How much of the network is reachable from inside. */
const NetworkSchema = z.enum(['none', 'allowlist', 'full', 'host']);
export type Network = z.infer<typeof NetworkSchema>;

/** A host, or all hosts of a domain, with an optional port (default: 443 and 80). */
export const AllowedHostSchema = z
  .string()
  .regex(
    /^(\[[0-9a-f:.]+\]|(\*\.)?[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*)(:\d{1,5})?$/i,
    'a host with or without a port, such as "api.example.com", "*.example.com" or "localhost:8080"',
  );

const VariableNameSchema = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'the name of a variable');

/** One host and port that a key may be sent to. No wildcards: the owner of any matching name would get the key. */
const KeyHostSchema = AllowedHostSchema.refine(
  host => !host.startsWith('*'),
  'a host without "*", such as "api.example.com" or "api.example.com:8443"',
);

const HeaderNameSchema = z
  .string()
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, 'the name of a header, such as "x-api-key"');

/** The requests that the proxy may add a key to. */
const KeyHostsSchema = z.strictObject({
  hosts: z
    .array(KeyHostSchema)
    .min(1)
    .describe('hosts of the key, with an optional port (default: 443); always with TLS'),
  headers: z
    .array(HeaderNameSchema)
    .min(1)
    .optional()
    .describe('request headers that may contain it (default: authorization and x-api-key)'),
});

/** The section `sandbox` of the configuration; all of it in the user's file only. */
export const SandboxConfigSchema = z
  .strictObject({
    runtime: z
      .enum(['auto', 'bubblewrap', 'podman', 'docker', 'seatbelt'])
      .optional()
      .default('auto')
      .describe(
        "sandbox runtime: auto, bubblewrap, podman, docker, or seatbelt (macOS, experimental, never chosen by auto); in the user's file only",
      ),
    git: z
      .enum(['private', 'surgical'])
      .optional()
      .default('private')
      .describe(
        "git inside: private (its own git directory) or surgical (the repository's, weaker: see the guide); in the user's file only",
      ),
    hooks: z
      .enum(['hide', 'show', 'run'])
      .optional()
      .default('hide')
      .describe(
        "with git: private, hooks and configuration of the repository: hide, show (readable in /run/carrel/parent) or run (git inside runs the hooks, too); in the user's file only",
      ),
    network: NetworkSchema.optional()
      .default('allowlist')
      .describe(
        "network inside: none, allowlist (only the hosts of sandbox.allow), full (other machines, through a separate network) or host (this machine's network, weaker: see the guide); in the user's file only",
      ),
    allow: z
      .array(AllowedHostSchema)
      .optional()
      .default([])
      .describe(
        `hosts that \`allowlist\` permits, such as "api.example.com" or "*.example.com:443"; in the user's file only`,
      ),
    nested: z
      .enum(['deny', 'allow'])
      .optional()
      .default('deny')
      .describe(
        "whether programs inside may create their own sandboxes; allow is weaker: see the guide; in the user's file only",
      ),
    limits: z
      .enum(['enforce', 'best-effort'])
      .optional()
      .default('enforce')
      .describe(
        "what to do about a limit that cannot be enforced on this machine: enforce refuses, best-effort warns; in the user's file only",
      ),
    passEnvironment: z
      .array(VariableNameSchema)
      .optional()
      .default([])
      .describe(
        "your variables to pass into the sandbox, such as ANTHROPIC_API_KEY; in the user's file only",
      ),
    keys: z
      .enum(['pass', 'proxy'])
      .optional()
      .default('pass')
      .describe(
        "how keys get inside: pass (in the agent's variables) or proxy (only a placeholder is inside; the `allowlist` proxy adds the key to requests to its hosts); in the user's file only",
      ),
    keyHosts: z
      .record(VariableNameSchema, KeyHostsSchema)
      .optional()
      .default({})
      .describe(
        "with keys: proxy, the hosts that the keys in these variables may be sent to, instead of Carrel's defaults; in the user's file only",
      ),
    readable: z
      .array(z.string().refine(isAbsolute, 'an absolute path'))
      .optional()
      .default([])
      .describe("your directories to make readable inside, at the same path; in the user's file only"),
    privileged: z
      .boolean()
      .optional()
      .default(false)
      .describe(
        "run containers with all privileges of the host; this is no longer a sandbox; in the user's file only",
      ),
    engineSocket: z
      .boolean()
      .optional()
      .default(false)
      .describe(
        "let containers access their engine; this gives them the privileges of the engine's user; in the user's file only",
      ),
  })
  .refine(({ git, nested }) => git === 'private' || nested === 'deny', {
    path: ['nested'],
    // A nested sandbox can uncover read-only paths inside writable ones, and git's configuration is such a path.
    error: 'deny, together with sandbox.git: surgical',
  })
  .refine(({ keys, network }) => keys === 'pass' || network === 'allowlist' || network === 'none', {
    path: ['network'],
    error: 'allowlist or none, together with sandbox.keys: proxy',
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

const KeyBindingSchema = z.object({
  hosts: z.array(z.string()).describe('with or without a port'),
  headers: z.array(z.string()).describe('in lower case'),
  baseUrls: z.array(z.string()).describe('variables of the same command that name another host'),
});
/** Where the key in a variable may be sent. */
export type KeyBinding = Readonly<z.infer<typeof KeyBindingSchema>>;

/** The sandbox of one workspace's commands, as decided at creation. Later only the user changes `allow`, with `carrel allow`. */
export const SandboxSchema = z.object({
  git: z.enum(['private', 'surgical']),
  hooks: z
    .enum(['show', 'run'])
    .optional()
    .describe("the repository's hooks and configuration inside; left out when they are hidden"),
  network: NetworkSchema,
  allow: z.array(z.string()),
  nested: z.boolean(),
  limits: LimitsSchema,
  enforcement: z.enum(['enforce', 'best-effort']),
  image: z
    .string()
    .nullable()
    .describe('null for the machine itself, or for an image that Carrel builds from it'),
  user: z.string().nullable(),
  workingDirectory: z.string().nullable(),
  environment: z.record(z.string(), z.string()).describe('variables with their values'),
  passEnvironment: z.array(z.string()).describe("names of the caller's variables that are passed on"),
  keys: z
    .record(z.string(), KeyBindingSchema)
    .optional()
    .describe(
      'variables whose values stay outside and are added to requests by the proxy; left out when there are none',
    ),
  readable: z.array(z.string()),
  volumes: z.array(z.object({ from: z.string(), to: z.string() })),
  privileged: z.boolean(),
  engineSocket: z.boolean(),
});
export type SandboxSettings = Readonly<z.infer<typeof SandboxSchema>>;
