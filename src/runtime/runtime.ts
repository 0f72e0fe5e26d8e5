import type { LimitName, RuntimeFinding, RuntimeName } from '../domain/runtime.js';
import type { RunRequest, RunResult } from '../exec/run.js';
import type { ImageBuilder } from './image-builder.js';
import type { Policy } from './policy.js';

/**
 * Where commands run. Nothing here knows of git, workspaces' records or the store; nothing prints. What a runtime can't
 * do on this machine is told by `probe` and by its capabilities, never found out by running unprotected.
 */
export interface Runtime {
  readonly name: RuntimeName;
  readonly capabilities: RuntimeCapabilities;
  /** There where `capabilities.images` are. */
  readonly images?: ImageBuilder | undefined;
  /** Runs the real flags once. Never throws for what is missing: the finding tells. */
  probe(): Promise<RuntimeFinding>;
  /**
   * Opens the sandbox of a workspace. What is cheap to make anew is made with every command; a container is started, or
   * found again by its id when it is as the policy says, and made anew when not. RUNTIME_UNAVAILABLE, SANDBOX_REFUSED,
   * LIMIT_NOT_ENFORCEABLE, IMAGE_MISSING.
   */
  open(id: string, policy: Policy): Promise<Sandbox>;
  /**
   * Ends everything of the workspace that still runs, whoever started it, and gives back mounts, containers and networks;
   * idempotent, also for a sandbox that never was.
   */
  stop(id: string): Promise<void>;
  /** Ids of workspaces of which something is left on this machine, running or not. */
  list(): Promise<string[]>;
}

export interface RuntimeCapabilities {
  /** Whether anything at all is between the command and the machine. */
  readonly isolates: boolean;
  /** Whether it can show another root file system. */
  readonly images: boolean;
  /** Whether `overlay` mounts can be had inside; asked of the machine by the probe of the overlay itself. */
  readonly overlays: boolean;
  /** Whether what a command leaves running is still there for the next one. */
  readonly longLived: boolean;
}

export interface Sandbox {
  /** Runs a command inside and gives the result once it has ended. What goes wrong with the sandbox itself is thrown. */
  exec(command: SandboxCommand): Promise<SandboxResult>;
  /**
   * Halts everything inside; nothing there runs until `resume`. Both are idempotent. SANDBOX_NOT_PAUSED when something
   * goes on.
   */
  pause(): Promise<void>;
  resume(): Promise<void>;
}

export interface SandboxCommand
  extends Pick<
    RunRequest,
    'stdin' | 'output' | 'handedOver' | 'onOutput' | 'timeoutMs' | 'signal' | 'maxOutputBytes' | 'graceMs'
  > {
  /** Program and arguments, as seen inside. */
  readonly command: readonly string[];
  /** Over those of the policy. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /** Instead of the policy's; as seen inside. */
  readonly workingDirectory?: string | undefined;
  /** A terminal of the caller's is handed over (`output: 'inherit'`); for containers this asks for one inside. */
  readonly terminal?: boolean | undefined;
  /** Called once with a process on the host that lives as long as the command. */
  readonly onStart?: ((pid: number) => void) | undefined;
}

/** How it went inside. */
export interface SandboxResult extends RunResult {
  /** The limit that ended the command or that it ran into, as far as can be told. */
  readonly limit?: LimitName | undefined;
  /** The sandbox died under the command: killed from outside, or its engine went away. */
  readonly sandboxDied?: boolean | undefined;
}
