import type { AgentRequest, AgentResult, EvalAgent } from '../../../src/batch/eval-agent.js';
import type { TaskEnvironment } from '../../../src/batch/isolation-provider.js';
import type { Usage } from '../../../src/domain/agent/usage.js';
import type { EvalItem } from '../../../src/domain/batch/eval-item.js';
import { plainEnvironment } from './plain-environment.js';

export interface TriedAgent extends AgentResult {
  readonly environment: TaskEnvironment;
  /** `STREAM: TEXT`, in their order. */
  readonly lines: readonly string[];
  readonly usages: readonly Usage[];
}

/** One attempt of an agent at a small task, in a directory of the test's own unless told otherwise. */
export async function tryAgent(
  agent: EvalAgent,
  {
    item = {},
    limitMs = 30_000,
    environment = plainEnvironment({ 'file.txt': 'old\n' }),
    ...more
  }: Partial<Omit<AgentRequest, 'item'>> & { item?: Partial<EvalItem>; limitMs?: number } = {},
): Promise<TriedAgent> {
  const lines: string[] = [];
  const usages: Usage[] = [];
  const result = await agent.attempt({
    item: makeItem(item),
    environment,
    deadline: Date.now() + limitMs,
    budgetUsd: undefined,
    signal: new AbortController().signal,
    onLine: (stream, text) => void lines.push(`${stream}: ${text}`),
    onUsage: usage => void usages.push(usage),
    ...more,
  });
  return { ...result, environment, lines, usages };
}

export const makeItem = (change: Partial<EvalItem> = {}): EvalItem => ({
  id: 'fix-it-001',
  description: 'Make file.txt say new.',
  base: { kind: 'files', files: { 'file.txt': 'old\n' } },
  graders: [{ kind: 'command', run: 'grep new file.txt' }],
  ...change,
});
