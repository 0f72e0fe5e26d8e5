import type { Limits } from '../domain/sandbox.js';

/**
 * What a sandbox is, as plain data: the same for every runtime, which renders it to arguments. Whatever is not in here
 * is not in the sandbox. Made by sandbox/build-policy.ts and nowhere else.
 */
export interface Policy {
  /** What the root file system is: the machine's own system directories, read-only, or a container image. */
  readonly root: { readonly kind: 'machine' } | { readonly kind: 'image'; readonly image: string };
  /** In order: a later one covers what an earlier one shows. Paths are absolute and real. */
  readonly mounts: readonly Mount[];
  /** All of it; nothing is inherited. */
  readonly environment: Readonly<Record<string, string>>;
  readonly workingDirectory: string;
  readonly hostname: string;
  /** Who runs inside, and so who owns the files that come out. */
  readonly user: { readonly uid: number; readonly gid: number };
  /** `none` has a loopback device and nothing else. An allow-list is `none` with a proxy's directory among the mounts. */
  readonly network: 'none' | 'full';
  readonly limits: Limits;
  readonly enforcement: 'enforce' | 'best-effort';
  /** Whether programs inside may make namespaces of their own. */
  readonly nested: boolean;
  /** All rights of the host, for a user who asked for it by name. */
  readonly privileged: boolean;
}

export type Mount =
  /** A file or directory of the host. */
  | { readonly kind: 'bind'; readonly from: string; readonly to: string; readonly writable: boolean }
  /** Memory that goes away with the sandbox. */
  | { readonly kind: 'tmpfs'; readonly to: string; readonly bytes?: number | undefined }
  /** Writes go to `upper`; `work` is an empty directory beside it. Only where the runtime has the capability. */
  | {
      readonly kind: 'overlay';
      readonly lower: string;
      readonly upper: string;
      readonly work: string;
      readonly to: string;
    };

/** Where things are inside, the same in every sandbox. */
export const INSIDE = {
  home: '/home/agent',
  git: '/run/carrel/git',
  parentObjects: '/run/carrel/parent/objects',
  /** Object stores that the repository itself borrows from: 0, 1, ... below it. */
  parentAlternates: '/run/carrel/parent/alternates',
  proxy: '/run/carrel/proxy',
} as const;
