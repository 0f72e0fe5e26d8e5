import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { SandboxPlace } from './sandbox-place.js';

/** What the host does in a sandbox, where the agent can make it wait. */
export type SandboxStep = 'take-back' | 'follow-jj' | 'show-refs' | 'move-branch';

/** After this time it is retried with the full timeout: the machine may have been busy. */
const REMEMBERED_MS = 10 * 60_000;

const FailedStepSchema = z.object({ state: z.string(), at: z.number(), problems: z.array(z.string()) });
export type FailedStep = z.infer<typeof FailedStepSchema>;

/**
 * A task that took long and failed while everything it depends on was in this state. It is not waited for again then.
 * Undefined otherwise, when something has changed since, or when that was a while ago.
 */
export async function findFailedStep(
  { root }: Pick<SandboxPlace, 'root'>,
  step: SandboxStep,
  state: string,
  now = Date.now(),
): Promise<FailedStep | undefined> {
  const text = await readFile(fileOf(root, step), 'utf8').catch(() => undefined);
  const found = text === undefined ? undefined : FailedStepSchema.safeParse(parseJson(text)).data;
  return found?.state === state && Math.abs(now - found.at) < REMEMBERED_MS ? found : undefined;
}

/** A failed write only costs time. */
export async function recordFailedStep(
  { root }: Pick<SandboxPlace, 'root'>,
  step: SandboxStep,
  state: string,
  problems: readonly string[] = [],
  now = Date.now(),
): Promise<void> {
  const failed: FailedStep = { state, at: now, problems: [...problems] };
  await writeFile(fileOf(root, step), JSON.stringify(failed)).catch(() => undefined);
}

/** Next to the private git directory: no sandbox sees it, and it is removed with the workspace. */
const fileOf = (root: string, step: SandboxStep): string => join(root, `given-up-${step}.json`);

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
