import { join } from 'node:path';
import type { SandboxSettings } from '../domain/sandbox.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import { INSIDE, type Mount, type Policy } from '../runtime/policy.js';
import { mountPointOf } from './jj-face.js';
import { emptyFile, insideStore } from './object-stores.js';
import type { SandboxPlace } from './place.js';
import type { Shown, SurgicalMounts } from './surgical-mounts.js';

/** What the policy is made from besides the workspace itself; all of it looked up before. */
export interface PolicyFacts {
  readonly place: SandboxPlace;
  readonly settings: SandboxSettings;
  readonly root: Policy['root'];
  readonly user: Policy['user'];
  /** The repository's object directory, then those that it borrows from. */
  readonly objectStores: readonly string[];
  /** Those that borrow from others themselves, by their place in the list. */
  readonly borrowers: readonly number[];
  /** The workspace's variables; nothing of the caller's but what the settings name. */
  readonly environment: Readonly<Record<string, string>>;
  /** What jj keeps inside, where there is a jj. */
  readonly jjDir: string | null;
  /** Sockets of the container engine, when the settings hand them over. */
  readonly engineSockets: readonly string[];
  /** The repository itself instead of its objects alone; null for `private`. */
  readonly surgical: SurgicalMounts | null;
}

/** The one place where it is decided what a sandbox sees. */
export function buildPolicy(record: WorkspaceRecord, facts: PolicyFacts): Policy {
  const { settings } = facts;
  return {
    root: facts.root,
    mounts: listMounts(record, facts),
    environment: facts.environment,
    workingDirectory: settings.workingDirectory ?? record.path,
    hostname: 'carrel',
    user: facts.user,
    network: settings.network === 'full' ? 'full' : 'none',
    limits: settings.limits,
    enforcement: settings.enforcement,
    nested: settings.nested,
    privileged: settings.privileged,
  };
}

function listMounts(record: WorkspaceRecord, facts: PolicyFacts): Mount[] {
  const { place, settings } = facts;
  return [
    readWrite(place.home, INSIDE.home),
    ...settings.readable.map(path => readOnly(path, path)),
    ...(facts.surgical ? repositoryMounts(facts.surgical, facts.objectStores) : objectMounts(facts)),
    readWrite(record.path, record.path),
    ...(facts.surgical?.ofWorkspace.map(asIs) ?? privateMounts(record, facts)),
    ...(settings.network === 'allowlist' ? [readOnly(place.proxyDir, INSIDE.proxy)] : []),
    ...settings.volumes.map(({ from, to }) => readWrite(from, to)),
    ...facts.engineSockets.map(socket => readWrite(socket, socket)),
  ];
}

/** The objects alone: no refs, no configuration, no hooks. */
function objectMounts({ objectStores, borrowers, place }: PolicyFacts): Mount[] {
  return [
    ...objectStores.map((store, at) => readOnly(store, insideStore(at))),
    ...borrowers.map(at => readOnly(emptyFile(place), join(insideStore(at), 'info', 'alternates'))),
  ];
}

/** All of it at its own place, and the stores that it borrows from, which it names by theirs. */
function repositoryMounts({ ofRepository }: SurgicalMounts, [, ...borrowed]: readonly string[]): Mount[] {
  return [...borrowed.map(store => readOnly(store, store)), ...ofRepository.map(asIs)];
}

/** A mount point can be neither renamed nor removed, so the pointer stays where it is. */
function privateMounts(record: WorkspaceRecord, { place, jjDir }: PolicyFacts): Mount[] {
  if (record.commonDir === null) return [];
  return [
    readWrite(place.gitDir, INSIDE.git),
    readOnly(place.pointerFile, gitFileOf(record)),
    ...(jjDir === null ? [] : [readWrite(jjDir, mountPointOf(record.path))]),
  ];
}

const gitFileOf = (record: WorkspaceRecord): string => join(record.path, '.git');

const asIs = ({ path, isWritable }: Shown): Mount =>
  isWritable ? readWrite(path, path) : readOnly(path, path);
const readOnly = (from: string, to: string): Mount => ({ kind: 'bind', from, to, writable: false });
const readWrite = (from: string, to: string): Mount => ({ kind: 'bind', from, to, writable: true });
