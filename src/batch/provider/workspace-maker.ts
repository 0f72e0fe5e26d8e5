import type { TaskDescriptor } from '../../domain/batch/task-descriptor.js';
import type { Context } from '../../operations/context.js';
import type { SealedBase } from '../base/sealed-base.js';
import type { TaskEnvironment } from '../isolation-provider.js';
import type { ProviderDirectory } from './provider-directory.js';

/** What differs between providers: how a workspace is created and removed. */
export interface WorkspaceMaker {
  make(base: SealedBase, task: TaskDescriptor, signal: AbortSignal | undefined): Promise<HeldWorkspace>;
  /** Creates workspaces in advance, one per entry of the list, which may repeat a base. */
  warm?(bases: readonly SealedBase[], signal: AbortSignal | undefined): Promise<void>;
  /** Number of free workspaces. */
  countFree?(): number;
  /** Called when all are returned. */
  close?(): Promise<void>;
}

export interface HeldWorkspace {
  readonly environment: TaskEnvironment;
  /** Path of its files, as seen from the host. */
  readonly files: string;
  /** Whether it existed before it was requested. */
  readonly isWarm: boolean;
  /** Both first kill what runs in it. */
  reset(signal: AbortSignal): Promise<void>;
  giveBack(): Promise<void>;
}

/** One kind of isolation, once there is a context. */
export type ProviderKind = (context: Context) => OpenedKind;

export interface OpenedKind {
  /** Without what the configuration of the user would add to a task. */
  readonly context: Context;
  createMaker(directory: ProviderDirectory): WorkspaceMaker;
}
