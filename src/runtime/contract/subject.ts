import { randomBytes } from 'node:crypto';
import { onTestFinished } from 'vitest';
import type { CommandResult } from '../../domain/command/command.js';
import type { Policy } from '../policy.js';
import type { Runtime, Sandbox, SandboxCommand } from '../runtime.js';

/** What a runtime's test file provides for one test; it also cleans up afterwards. */
export interface RuntimePlace {
  readonly runtime: Runtime;
  /** The same runtime, as another process would open it. */
  readonly other: Runtime;
  /** An empty directory of the host that the user inside may write; a real path. */
  readonly directory: string;
  /** The user inside. */
  readonly user: Policy['user'];
  readonly root: Policy['root'];
  /** Variables that the runtime adds, besides PWD. */
  readonly ownVariables?: readonly string[] | undefined;
}

export type RuntimeSetup = () => Promise<RuntimePlace>;

export interface RuntimeSubject extends RuntimePlace {
  readonly id: string;
  readonly policy: Policy;
  readonly sandbox: Sandbox;
  /** Runs a shell script inside. */
  script(text: string, command?: Partial<SandboxCommand>): Promise<CommandResult>;
}

/** A sandbox in which the directory is writable at its own path; stopped when the test ends. */
export async function openSandbox(
  setup: RuntimeSetup,
  change: (policy: Policy, place: RuntimePlace) => Partial<Policy> = () => ({}),
): Promise<RuntimeSubject> {
  const place = await setup();
  const plain = plainPolicy(place);
  const policy = { ...plain, ...change(plain, place) };
  const id = createWorkspaceId();
  onTestFinished(() => place.runtime.stop(id));
  const sandbox = await place.runtime.open(id, policy);
  const script = (text: string, command: Partial<SandboxCommand> = {}) =>
    sandbox.run({ command: ['sh', '-c', text], ...command });
  return { ...place, id, policy, sandbox, script };
}

export const createWorkspaceId = (): string => `ws_contract${randomBytes(6).toString('hex')}`;

export function plainPolicy({ directory, user, root, runtime }: RuntimePlace): Policy {
  const home = runtime.capabilities.mounts ? '/home/agent' : directory;
  return {
    root,
    mounts: [
      ...(home === directory ? [] : [{ kind: 'tmpfs' as const, to: home }]),
      { kind: 'bind', from: directory, to: directory, writable: true },
    ],
    environment: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: home },
    workingDirectory: directory,
    hostname: 'carrel',
    user,
    network: 'none',
    limits: {},
    enforcement: 'enforce',
    nested: false,
    privileged: false,
  };
}

export const textOf = ({ stdout }: CommandResult): string => stdout.toString('utf8');

/** A signal as the status that shells use for it: a runtime may report either. */
export function statusOf({ exitCode, signal }: CommandResult): number | null {
  const number = signal === null ? undefined : SIGNALS[signal];
  return number === undefined ? exitCode : 128 + number;
}

const SIGNALS: Readonly<Partial<Record<NodeJS.Signals, number>>> = { SIGKILL: 9, SIGTERM: 15 };
