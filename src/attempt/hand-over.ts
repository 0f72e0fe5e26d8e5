import type { Invocation } from '../agent/invocation.js';
import { type InvocationRequest, planInvocation } from '../agent/plan-invocation.js';
import type { ResolvedAgent } from '../domain/task/task.js';
import type { Handoff } from './handoff/handoff.js';

export interface Handover extends Omit<InvocationRequest, 'handoff'> {
  /** By file name. */
  readonly inputs?: ReadonlyMap<string, Buffer> | undefined;
  /** Environment variables about the attempt. */
  readonly variables: Readonly<Record<string, string>>;
}

/** Writes the prompt, the inputs and the agent's own files to its handoff directory; returns how to call the agent. */
export async function handOver(
  agent: ResolvedAgent,
  handoff: Handoff,
  { inputs = new Map(), variables, ...request }: Handover,
): Promise<Invocation> {
  await handoff.place(
    new Map([
      ['prompt.md', Buffer.from(request.prompt)],
      ...[...inputs].map(([name, content]) => [`inputs/${name}`, content] as const),
      ...Object.entries(agent.files).map(([path, text]) => [`files/${path}`, Buffer.from(text)] as const),
    ]),
  );
  const invocation = planInvocation(agent, { ...request, handoff: handoff.seen });
  return { ...invocation, environment: { ...invocation.environment, ...variables } };
}
