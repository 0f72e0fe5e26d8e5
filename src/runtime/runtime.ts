import type { Command, CommandResult } from '../domain/command/command.js';
import type { Environment } from '../domain/command/environment.js';
import type { RuntimeFinding, RuntimeName } from '../domain/sandbox/runtime-finding.js';
import type { ImageBuilder } from './image-builder.js';
import type { Policy } from './policy.js';

/**
 * Where commands run. Nothing here knows git, workspace records or the store, and nothing prints. What a runtime can't
 * do on this machine is reported by `probe` and its capabilities, never found out by running unprotected.
 */
export interface Runtime {
  readonly name: RuntimeName;
  readonly capabilities: RuntimeCapabilities;
  /** Present if `capabilities.images` is. */
  readonly images?: ImageBuilder | undefined;
  /** Runs the real flags once. Never throws when something is missing: the finding reports it. */
  probe(): Promise<RuntimeFinding>;
  /**
   * Opens what `network: full` needs, and closes it: OWN_NETWORK_UNAVAILABLE when it does not work. Missing where the
   * engine provides the network.
   */
  tryNetwork?(): Promise<void>;
  /**
   * Opens the sandbox of a workspace. What is cheap is created with every command; a container is started, or found by
   * its id if it matches the policy, and recreated if not. RUNTIME_UNAVAILABLE, SANDBOX_REFUSED, LIMIT_NOT_ENFORCEABLE,
   * IMAGE_MISSING.
   */
  open(id: string, policy: Policy): Promise<Sandbox>;
  /**
   * Kills everything of the workspace that still runs, from any process, and releases mounts, containers and networks;
   * idempotent, also for a sandbox that never existed.
   */
  stop(id: string): Promise<void>;
  /** Ids of workspaces that have something left on this machine, running or not. */
  list(): Promise<string[]>;
}

export interface RuntimeCapabilities {
  /** Whether anything isolates the command from the machine. */
  readonly isolates: boolean;
  /** Whether it supports another root file system. */
  readonly images: boolean;
  /** Whether `overlay` mounts work inside; checked by the probe of the overlay itself. */
  readonly overlays: boolean;
  /** Whether leftover processes of a command are still there for the next one. */
  readonly longLived: boolean;
  /**
   * Whether files of the host can be mounted at other paths. Without this, everything is at its path on the host, there
   * is no private /tmp, and git inside finds its private directory only by variables.
   */
  readonly mounts: boolean;
  /** Whether processes, host name and network inside are separate from those of the host. */
  readonly namespaces: boolean;
}

/** The inside of a sandbox. */
export interface Sandbox extends Environment {
  run(command: SandboxCommand): Promise<CommandResult>;
  /**
   * Pauses everything inside; nothing there runs until `resume`. Both are idempotent. SANDBOX_NOT_PAUSED when something
   * keeps running.
   */
  pause(): Promise<void>;
  resume(): Promise<void>;
}

/** A command inside; its variables override those of the policy. */
export interface SandboxCommand extends Command {
  /** The caller's terminal is handed over (`output: 'inherit'`); containers allocate one inside. */
  readonly terminal?: boolean | undefined;
  /** Has no network regardless of the policy, where a network is created for each command. */
  readonly isOffline?: boolean | undefined;
  /**
   * The port on the host where the proxy of an allowlist listens, for runtimes without their own network; others have
   * its socket among the mounts.
   */
  readonly proxyPort?: number | undefined;
}
