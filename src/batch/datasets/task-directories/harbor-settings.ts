import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { EvalItem } from '../../../domain/batch/eval-item.js';
import { parseToml } from './parse-toml.js';
import { difficultyOf, secondsToDuration } from './task-directory-text.js';

export interface HarborSettings {
  readonly item: Pick<EvalItem, 'difficulty' | 'tags' | 'timeout'>;
  readonly image: string | undefined;
  readonly environment: Readonly<Record<string, string>>;
  /** Not for the agent. */
  readonly verifierEnvironment: Readonly<Record<string, string>>;
  readonly verifierTimeout: string;
}

const VariablesSchema = z.record(z.string().regex(/^[A-Za-z_]\w*$/), z.string()).default({});

/** What matters of task.toml, up to schema 1.4. Other keys of Harbor make no difference here. */
const TaskFileSchema = z.object({
  task: z.object({ keywords: z.array(z.string().min(1)).default([]) }).default({ keywords: [] }),
  metadata: z
    .object({ difficulty: z.unknown().optional(), tags: z.array(z.string().min(1)).default([]) })
    .default({ tags: [] }),
  agent: z.object({ timeout_sec: z.number().positive().optional() }).default({}),
  verifier: z
    .object({
      timeout_sec: z.number().positive().default(600),
      env: VariablesSchema,
      environment_mode: z.string().optional(),
    })
    .default({ timeout_sec: 600, env: {} }),
  environment: z
    .object({
      docker_image: z.string().min(1).optional(),
      env: VariablesSchema,
      gpus: z.number().default(0),
      mcp_servers: z.array(z.unknown()).default([]),
    })
    .default({ env: {}, gpus: 0, mcp_servers: [] }),
  steps: z.array(z.unknown()).default([]),
});
type TaskFile = z.infer<typeof TaskFileSchema>;

export async function readHarborSettings(
  file: string,
): Promise<HarborSettings | { readonly reason: string }> {
  const toml = parseToml(await readFile(file, 'utf8'));
  if ('problem' in toml) return { reason: `task.toml:${toml.line}: ${toml.problem}` };
  const parsed = TaskFileSchema.safeParse(toml.value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return { reason: `task.toml: ${issue?.path.join('.')}: ${issue?.message}` };
  }
  const reason = findUnsupported(parsed.data);
  return reason === undefined ? toSettings(parsed.data) : { reason };
}

function findUnsupported({ steps, environment, verifier }: TaskFile): string | undefined {
  if (steps.length > 0) return 'it has several steps; only tasks with one step are supported';
  if (environment.gpus > 0) return `it needs GPUs (${environment.gpus}), which are not supported`;
  if (environment.mcp_servers.length > 0) return 'it needs MCP servers, which are not supported';
  if (verifier.environment_mode === 'separate')
    return 'its tests need a separate container, which is not supported';
  const host = Object.entries({ ...environment.env, ...verifier.env }).find(([, value]) =>
    value.includes('${'),
  );
  return host && `its variable ${host[0]} comes from the host (${host[1]}), which is not supported`;
}

const toSettings = ({ task, metadata, agent, verifier, environment }: TaskFile): HarborSettings => ({
  item: {
    ...difficultyOf(metadata.difficulty),
    tags: [...new Set([...metadata.tags, ...task.keywords])],
    ...(agent.timeout_sec !== undefined && { timeout: secondsToDuration(agent.timeout_sec) }),
  },
  image: environment.docker_image,
  environment: environment.env,
  verifierEnvironment: verifier.env,
  verifierTimeout: secondsToDuration(verifier.timeout_sec),
});
