import type { KnownSnapshot, KnownWorkspace, Place, WorkspaceKind } from '../model/model.js';
import type { Observation } from '../model/observation.js';

/** What a command is for, and so what may be different after it. Whatever is not named here stays as it was. */
export interface Intent {
  /** For people, such as `down w1`. */
  readonly what: string;
  /** Whether nothing can block it, so that it may fail only because of a fault that we injected. */
  readonly mustSucceed: boolean;
  readonly creates?: Creation;
  /** The workspace that may go, or all of them. */
  readonly removes?: string | 'any';
  /** The workspace that may be unchanged since its creation. */
  readonly resets?: string;
  /** The workspace whose processes it may stop. */
  readonly stops?: string;
  /** The workspace that may get a snapshot, or all of them. */
  readonly snapshots?: string | 'any';
  readonly changes?: Change;
  /** Whether a branch of the user's, and a clean checkout of it, may move. */
  readonly lands?: string;
  /** What else must be true once it has succeeded, one line for each thing that is not. */
  readonly confirm?: (events: Events) => string[];
}

export interface Creation {
  /** What it is called, or how the name of it begins when a task makes it up. */
  readonly name: string;
  readonly kind: WorkspaceKind;
  /** It is like one of these; null when it only has to be clean, and `any` when an agent is at work in it. */
  readonly holds: readonly Observation[] | null | 'any';
  /** The same for each part of a workspace with both repositories. */
  readonly holdsIn?: Readonly<Record<Place, readonly Observation[]>> | undefined;
  readonly omitted: readonly string[];
  readonly changing: readonly string[];
  readonly isFilesOnly: boolean;
}

export interface Change {
  readonly name: string;
  /** Files that may be new or otherwise. */
  readonly paths: readonly string[];
  /** Whether HEAD and the index may be, too. */
  readonly isGit: boolean;
}

/** What has happened to the records between two looks. */
export interface Events {
  readonly appeared: readonly KnownWorkspace[];
  readonly vanished: readonly KnownWorkspace[];
  readonly taken: readonly KnownSnapshot[];
}
