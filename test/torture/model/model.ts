import type { Observation } from './observation.js';

/** Who has its files, and with that what may be asked of it. */
export type WorkspaceKind = 'git' | 'jj' | 'copy' | 'full';

/** The user's repository, or the one beside it. */
export type Place = 'user' | 'beside';

/** A workspace as its user left it. */
export interface KnownWorkspace {
  readonly id: string;
  readonly name: string;
  readonly kind: WorkspaceKind;
  /** Whether it is a part of one with both repositories. */
  readonly isPart: boolean;
  /** Which repository it belongs to. */
  readonly place: Place;
  path: string;
  observation: Observation;
  /** As `up` made it; a restored one never is. */
  readonly pristine: Observation | undefined;
  /** Whether the user deleted its directory without Carrel. */
  isMissing: boolean;
}

export interface KnownSnapshot {
  readonly id: string;
  /** The step that it was found after, and which of that step's it was; the same when steps are left out. */
  readonly label: string;
  readonly workspaceId: string;
  readonly workspaceName: string;
  readonly kind: WorkspaceKind;
  /** It holds one of these; when there is none, nothing is known of what it should hold. */
  readonly holds: readonly Observation[];
  readonly omitted: readonly string[];
  /** Files that were being written while it was taken. */
  readonly changing: readonly string[];
  /** Whether a commit was made for the sake of landing, so that git says something else than before. */
  readonly isFilesOnly: boolean;
  /** The snapshots that were taken together, of a workspace with both repositories. */
  readonly set: string | null;
  /** Whether it is of a part. */
  readonly isPart: boolean;
  readonly place: Place;
  /** Released when newer ones are there, or its workspace has gone with a snapshot. */
  readonly isCheckpoint: boolean;
}

/** Everything that must exist, in one place or another, after every step. */
export interface Model {
  readonly workspaces: Map<string, KnownWorkspace>;
  /** In the order in which they were taken. */
  readonly snapshots: Map<string, KnownSnapshot>;
  /** Commits made in workspaces, and where. */
  readonly commits: Map<string, string>;
  /** Workspaces whose directory and registration the user removed: their branch may stay, with commits of no snapshot. */
  readonly pruned: Set<string>;
  /** The user's checkout, as the user left it. */
  user: Readonly<Record<string, unknown>>;
  /** The checkout of the other repository. */
  beside: Readonly<Record<string, unknown>>;
  /** Whether a command ran with a wrong clock, so that times say nothing about what is newer. */
  hasWrongTimes: boolean;
}

export const createModel = (): Model => ({
  workspaces: new Map(),
  snapshots: new Map(),
  commits: new Map(),
  pruned: new Set(),
  user: {},
  beside: {},
  hasWrongTimes: false,
});

export const findByName = (model: Model, name: string): KnownWorkspace | undefined =>
  [...model.workspaces.values()].find(workspace => workspace.name === name);

/** The workspace, or all of its parts. */
export const listByName = (model: Model, name: string): KnownWorkspace[] =>
  [...model.workspaces.values()].filter(workspace => workspace.name === name);

/** Whether anything of a workspace with both repositories is left. */
export const knowsParts = ({ workspaces, snapshots }: Model): boolean =>
  [...workspaces.values(), ...snapshots.values()].some(({ isPart }) => isPart);

export const findByLabel = (model: Model, label: string): KnownSnapshot | undefined =>
  [...model.snapshots.values()].find(snapshot => snapshot.label === label);
