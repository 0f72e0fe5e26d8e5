import { join } from 'node:path';
import type { SandboxSettings } from '../../domain/sandbox/sandbox.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { INSIDE, type Mount, type Policy } from '../../runtime/policy.js';
import type { InPlaceMounts } from '../in-place/in-place-mounts.js';
import { mountPointOf } from '../jj/jj-directory.js';
import type { SandboxPlace } from '../sandbox-place.js';
import { type InsidePlaces, MOUNTED } from './inside-paths.js';
import { emptyFile } from './object-stores.js';
import type { Shown, SurgicalMounts } from './surgical-mounts.js';

/** What a sandbox shows of one workspace, or of one part of it. */
export interface SandboxContent {
  readonly place: SandboxPlace;
  /** The repository's object directory, then those that it borrows from. */
  readonly objectStores: readonly string[];
  /** Those that borrow from others themselves, by index. */
  readonly borrowers: readonly number[];
  /** What jj keeps inside, where there is a jj. */
  readonly jjDir: string | null;
  /** The repository itself instead of its objects alone; null for `private`. */
  readonly surgical: SurgicalMounts | null;
  /** Those of a runtime that has mounts by default. */
  readonly inside?: InsidePlaces | undefined;
}

/** Input of the policy besides the workspace; all looked up before. */
export interface PolicyFacts extends SandboxContent {
  readonly settings: SandboxSettings;
  readonly root: Policy['root'];
  readonly user: Policy['user'];
  /** The workspace's variables; and only those of the caller's that the settings name. */
  readonly environment: Readonly<Record<string, string>>;
  /** Sockets of the container engine, if the settings share them. */
  readonly engineSockets: readonly string[];
  /** What covers the parts of a directory in place; null for other workspaces. */
  readonly inPlace?: InPlaceMounts | null | undefined;
  /** Hooks and configuration of the repository that the user chose to show. */
  readonly parent?: readonly Mount[] | undefined;
  /** What every sandbox is held to. */
  readonly usual?: Policy['usual'];
  /** The other parts of a workspace with several repositories. */
  readonly others?: readonly OtherPart[] | undefined;
}

interface OtherPart {
  readonly record: WorkspaceRecord;
  readonly content: SandboxContent;
}

/** Decides everything that a sandbox sees. */
export function buildPolicy(record: WorkspaceRecord, facts: PolicyFacts): Policy {
  const { settings } = facts;
  return {
    root: facts.root,
    mounts: withSecondPlace(record.path, listMounts(record, facts), facts),
    environment: facts.environment,
    workingDirectory: settings.workingDirectory ?? record.path,
    hostname: 'carrel',
    user: facts.user,
    network: settings.network === 'allowlist' ? 'none' : settings.network,
    limits: settings.limits,
    enforcement: settings.enforcement,
    ...(facts.usual && { usual: facts.usual }),
    nested: settings.nested,
    privileged: settings.privileged,
  };
}

/**
 * The workspace is at /workspace too, with everything that is mounted in it: what is covered at one path must not be
 * writable at the other. Not where a mount of the user's is there already, or the path itself is below it.
 */
function withSecondPlace(
  path: string,
  mounts: readonly Mount[],
  { inside = MOUNTED }: PolicyFacts,
): readonly Mount[] {
  const isTaken = mounts.some(({ to }) => isBelow(INSIDE.workspace, to) || isBelow(to, INSIDE.workspace));
  if (!inside.areMounted || isTaken) return mounts;
  const again = mounts
    .filter(({ to }) => isBelow(to, path))
    .map(mount => ({ ...mount, to: `${INSIDE.workspace}${mount.to.slice(path.length)}` }));
  return [...mounts, ...again];
}

const isBelow = (path: string, parent: string): boolean => `${path}/`.startsWith(`${parent}/`);

function listMounts(record: WorkspaceRecord, facts: PolicyFacts): Mount[] {
  const { place, settings, inside = MOUNTED, others = [] } = facts;
  return [
    readWrite(place.home, inside.home),
    ...settings.readable.map(path => readOnly(path, path)),
    ...gitMounts(facts),
    // Before the files of any part: a repository that is readable must not cover them.
    ...others.flatMap(({ content }) => gitMounts(content)),
    ...others.flatMap(showFiles),
    readWrite(record.path, record.path),
    ...(facts.inPlace?.ofDirectory ?? facts.surgical?.ofWorkspace.map(asIs) ?? privateMounts(record, facts)),
    ...(facts.parent ?? []),
    ...(settings.network !== 'host' && inside.areMounted ? [readOnly(place.proxyDir, INSIDE.proxy)] : []),
    ...settings.volumes.map(({ from, to }) => readWrite(from, to)),
    ...facts.engineSockets.map(socket => readWrite(socket, socket)),
  ];
}

/** The files of another part, and what covers parts of them. */
const showFiles = ({ record, content }: OtherPart): Mount[] => [
  readWrite(record.path, record.path),
  ...(content.surgical?.ofWorkspace.map(asIs) ?? privateMounts(record, content)),
];

/** What is visible of the repository. */
function gitMounts(facts: SandboxContent & Pick<PolicyFacts, 'inPlace'>): Mount[] {
  const { surgical, inPlace, objectStores } = facts;
  if (inPlace && inPlace.ofRepository.length > 0)
    return [...showBorrowed(objectStores), ...inPlace.ofRepository];
  return surgical ? [...showBorrowed(objectStores), ...surgical.ofRepository.map(asIs)] : objectMounts(facts);
}

/** Stores that the repository borrows from, at their own paths. */
const showBorrowed = ([, ...borrowed]: readonly string[]): Mount[] =>
  borrowed.map(store => readOnly(store, store));

/** The objects alone: no refs, no configuration, no hooks. */
function objectMounts({ objectStores, borrowers, place, inside = MOUNTED }: SandboxContent): Mount[] {
  const shown = objectStores.map((store, at) => readOnly(store, inside.store(at, store)));
  // The stores that they borrow from are at their own paths.
  if (!inside.areMounted) return shown;
  const covers = borrowers.map(at =>
    readOnly(emptyFile(place), join(inside.store(at, ''), 'info', 'alternates')),
  );
  return [...shown, ...covers];
}

/**
 * A mount point can be neither renamed nor removed, so the pointer stays. Without mounts it is the one from outside, which
 * leads to something unreadable.
 */
function privateMounts(record: WorkspaceRecord, { place, jjDir, inside = MOUNTED }: SandboxContent): Mount[] {
  if (record.commonDir === null) return [];
  const pointer = gitFileOf(record);
  return [
    readWrite(place.gitDir, inside.git),
    readOnly(inside.areMounted ? place.pointerFile : pointer, pointer),
    ...(jjDir === null ? [] : [readWrite(jjDir, mountPointOf(record.path))]),
  ];
}

const gitFileOf = (record: WorkspaceRecord): string => join(record.path, '.git');

const asIs = ({ path, isWritable }: Shown): Mount =>
  isWritable ? readWrite(path, path) : readOnly(path, path);
const readOnly = (from: string, to: string): Mount => ({ kind: 'bind', from, to, writable: false });
const readWrite = (from: string, to: string): Mount => ({ kind: 'bind', from, to, writable: true });
