import type { CommandResult } from '../../domain/command/command.js';
import type { RuntimeFinding } from '../../domain/sandbox/runtime-finding.js';
import type { Policy } from '../policy.js';
import type { Runtime, SandboxCommand } from '../runtime.js';

/** A command that it was asked to run. */
export interface DummyCommand {
  readonly id: string;
  readonly policy: Policy;
  readonly command: SandboxCommand;
}

export interface DummyRuntime extends Runtime {
  /** All commands that it was asked to run, in order. */
  readonly commands: readonly DummyCommand[];
}

export interface DummyRuntimeOptions {
  /** Overrides the result of a program that prints nothing and exits with 0. */
  readonly result?: Partial<CommandResult> | ((command: DummyCommand) => Partial<CommandResult>) | undefined;
  /** Overrides the finding of a runtime that works. */
  readonly finding?: Partial<RuntimeFinding> | undefined;
}

/**
 * Runs nothing and remembers the commands that it was asked to run. A sandbox is listed from its opening until it is
 * stopped.
 */
export function createDummyRuntime(options: DummyRuntimeOptions = {}): DummyRuntime {
  const commands: DummyCommand[] = [];
  const open = new Set<string>();
  return {
    name: 'dummy',
    commands,
    capabilities: {
      isolates: false,
      images: false,
      overlays: false,
      longLived: false,
      mounts: true,
      namespaces: false,
    },
    probe: async () => ({ ...FINDING, ...options.finding }),
    open: async (id, policy) => {
      open.add(id);
      return {
        run: async command => {
          const asked = { id, policy, command };
          if (command.signal?.aborted) return { ...NOTHING, exitCode: null, cancelled: true };
          commands.push(asked);
          return { ...NOTHING, ...resultOf(options, asked) };
        },
        pause: async () => undefined,
        resume: async () => undefined,
      };
    },
    stop: async id => void open.delete(id),
    list: async () => [...open],
  };
}

const resultOf = ({ result }: DummyRuntimeOptions, asked: DummyCommand): Partial<CommandResult> =>
  (typeof result === 'function' ? result(asked) : result) ?? {};

const FINDING: RuntimeFinding = {
  runtime: 'dummy',
  obstacle: null,
  version: null,
  message: 'it runs nothing',
  hint: null,
  limits: [],
  warnings: [],
};

const NOTHING: CommandResult = {
  exitCode: 0,
  signal: null,
  stdout: Buffer.alloc(0),
  stderr: Buffer.alloc(0),
  truncated: false,
  timedOut: false,
  cancelled: false,
  durationMs: 0,
};
