import type { Limits } from '../domain/sandbox/sandbox.js';

/**
 * A sandbox as plain data: the same for every runtime, which renders it to arguments. What is not in here is not in the
 * sandbox. Created only by sandbox/policy/build-policy.ts.
 */
export interface Policy {
  /** What the root file system is: the machine's own system directories, read-only, or a container image. */
  readonly root: { readonly kind: 'machine' } | { readonly kind: 'image'; readonly image: string };
  /** In order: a later one covers what an earlier one shows. Paths are absolute and real. */
  readonly mounts: readonly Mount[];
  /** The whole environment; nothing is inherited. */
  readonly environment: Readonly<Record<string, string>>;
  readonly workingDirectory: string;
  readonly hostname: string;
  /** The user inside, who owns the files that are created. */
  readonly user: { readonly uid: number; readonly gid: number };
  /**
   * `none` has only a loopback device. An allowlist is `none` with a proxy's directory among the mounts. `full` reaches
   * other machines from its own network, without this machine's loopback and abstract sockets; `host` is the network of
   * this machine.
   */
  readonly network: 'none' | 'full' | 'host';
  readonly limits: Limits;
  readonly enforcement: 'enforce' | 'best-effort';
  /** Applied where that is possible here, and where `limits` has no value. */
  readonly usual?: UsualLimits | undefined;
  /** Whether programs inside may create namespaces. */
  readonly nested: boolean;
  /** All privileges of the host, for a user who requested it explicitly. */
  readonly privileged: boolean;
}

export interface UsualLimits {
  readonly pids: number;
  /** Bytes. */
  readonly memory: number;
  /** The share of the free disk space that one command may use: 0 to 1. */
  readonly diskShare: number;
  /** How early the kernel kills processes inside when memory runs out: 0 to 1000. */
  readonly oomScore: number;
}

export type Mount =
  /** A file or directory of the host. */
  | { readonly kind: 'bind'; readonly from: string; readonly to: string; readonly writable: boolean }
  /** Memory that is freed with the sandbox. */
  | { readonly kind: 'tmpfs'; readonly to: string; readonly bytes?: number | undefined }
  /** Writes go to `upper`; `work` is an empty directory beside it. Only where the runtime has the capability. */
  | {
      readonly kind: 'overlay';
      readonly lower: string;
      readonly upper: string;
      readonly work: string;
      readonly to: string;
    };

/** Paths inside, the same in every sandbox. */
export const INSIDE = {
  home: '/home/agent',
  /** A second place of the workspace, for images and scripts that expect it there. */
  workspace: '/workspace',
  git: '/run/carrel/git',
  /** The repository's git directory, where a directory in place shares it. */
  repository: '/run/carrel/repository',
  parentObjects: '/run/carrel/parent/objects',
  /** Object stores that the repository itself borrows from: 0, 1, ... below it. */
  parentAlternates: '/run/carrel/parent/alternates',
  /** Hooks and configuration of the repository, where the user chose to show them. */
  parentHooks: '/run/carrel/parent/hooks',
  parentConfig: '/run/carrel/parent/config',
  proxy: '/run/carrel/proxy',
  /** Git directory and objects of each part of a workspace with several repositories, by alias. */
  parts: '/run/carrel/parts',
} as const;
