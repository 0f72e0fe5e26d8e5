import { carrelError } from '../../../domain/error/error.js';
import { type Engine, lastLine } from './engine.js';

export const LABELS = {
  workspace: 'carrel.workspace',
  owner: 'carrel.owner',
  policy: 'carrel.policy',
} as const;

/** What the engine knows of a container. */
export interface ContainerState {
  readonly id: string;
  /** As the engines call it: created, running, paused, exited, ... */
  readonly status: string;
  readonly pid: number;
  readonly policyHash: string | undefined;
  /** Whether the kernel killed its first process because of memory. */
  readonly oomKilled: boolean;
}

/** The container with exactly this name or id; undefined when there is none. SANDBOX_REFUSED when the engine fails. */
export async function inspectContainer(
  engine: Engine,
  nameOrId: string,
): Promise<ContainerState | undefined> {
  const result = await engine.call(['inspect', '--type', 'container', '--format', '{{json .}}', nameOrId]);
  // podman prints a list in any format (4.3).
  if (result.exitCode === 0) return toState([JSON.parse(result.stdout.toString('utf8'))].flat()[0]);
  // `inspect` fails in the same way when there is none and when the engine is dead; a list does not.
  const listed = await engine.call(['ps', '--quiet', '--last', '1']);
  if (listed.exitCode !== 0) throw engineFailed(engine, lastLine(listed));
  return undefined;
}

interface Inspected {
  readonly Id: string;
  readonly State: { readonly Status: string; readonly Pid: number; readonly OOMKilled: boolean };
  readonly Config: { readonly Labels: Readonly<Record<string, string>> | null };
}

function toState({ Id, State, Config }: Inspected): ContainerState {
  return {
    id: Id,
    status: State.Status,
    pid: State.Pid,
    oomKilled: State.OOMKilled,
    policyHash: Config.Labels?.[LABELS.policy],
  };
}

export function engineFailed(engine: Engine, problem: string): Error {
  return carrelError('SANDBOX_REFUSED', { runtime: engine.name, problem });
}
