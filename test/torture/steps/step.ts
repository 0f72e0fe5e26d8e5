import type { WorkspaceKind } from '../model/model.js';
import type { EditKind } from './edits.js';

/** A command of Carrel's. */
export type CommandStep = { readonly fault?: Fault } & (
  | {
      readonly op: 'up';
      readonly name: string;
      readonly kind: WorkspaceKind;
      readonly base?: string;
      /** With the repository beside it. */
      readonly isGroup?: boolean;
    }
  | { readonly op: 'exec'; readonly name: string; readonly work: 'write' | 'commit' | 'slow' }
  | { readonly op: 'snapshot'; readonly name: string }
  | { readonly op: 'restore'; readonly from: string; readonly as: string | null }
  | { readonly op: 'restore-latest'; readonly name: string }
  | { readonly op: 'down'; readonly name: string; readonly discards: boolean }
  | { readonly op: 'reset'; readonly name: string; readonly discards: boolean }
  | { readonly op: 'land'; readonly name: string; readonly into: string; readonly options: readonly string[] }
  | { readonly op: 'look'; readonly words: readonly string[] }
  | { readonly op: 'gc'; readonly options: readonly string[] }
  | { readonly op: 'doctor'; readonly options: readonly string[] }
  | { readonly op: 'pool'; readonly words: readonly string[] }
  | { readonly op: 'task'; readonly options: readonly string[] }
);

/** What the user, or another program of the user's, does without Carrel. */
export type WorldStep =
  | { readonly op: 'edit'; readonly name: string; readonly edit: EditKind; readonly seed: number }
  | { readonly op: 'lose-records'; readonly how: 'gone' | 'older' | 'emptied' }
  | { readonly op: 'move-repository' }
  | { readonly op: 'delete-directory'; readonly name: string }
  | { readonly op: 'git-gc' }
  | { readonly op: 'worktree-prune' }
  | { readonly op: 'user-edit'; readonly seed: number }
  | { readonly op: 'user-commit' };

export type Step = CommandStep | WorldStep;

/** A step of an episode; its number stays when others are left out. */
export type NumberedStep = Step & { readonly n: number };

export type Fault =
  | { readonly kind: 'kill' | 'kill-tree' | 'terminate' | 'interrupt' | 'stop'; readonly afterMs: number }
  /** At a step of the journal. */
  | { readonly kind: 'kill-at'; readonly moment: string }
  | { readonly kind: 'clock'; readonly days: number }
  | { readonly kind: 'full-disk'; readonly leftKb: number }
  /** Another command at the same time. */
  | { readonly kind: 'beside'; readonly delayMs: number; readonly other: CommandStep };

export const isCommand = (step: Step): step is CommandStep => COMMANDS.has(step.op);

const COMMANDS: ReadonlySet<string> = new Set([
  ...['up', 'exec', 'snapshot', 'restore', 'restore-latest', 'down', 'land', 'look', 'gc', 'doctor'],
  ...['pool', 'task', 'reset'],
]);
