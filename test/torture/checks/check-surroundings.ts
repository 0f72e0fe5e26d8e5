import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fingerprint } from '../../helpers/fingerprint.js';
import { describeUser } from '../../helpers/git/jj.js';
import { findLeftovers } from '../../helpers/leftovers.js';
import { git, gitEnv } from '../../helpers/repository.js';
import { requireNone } from '../finding.js';
import type { Machine } from '../machine/machine.js';
import { awaitMarkedProcesses } from '../machine/marked-processes.js';
import { readSettledRecords } from '../machine/settled-records.js';
import type { Model, Place } from '../model/model.js';
import { TASK_NAME } from '../steps/plan-command.js';

/** The background's share of a removal takes as long as the machine lets it. */
const LONGEST_REST_MS = 60_000;

/** Waits until nothing of Carrel's runs any more. */
export async function checkProcesses({ carrel }: Machine): Promise<void> {
  const found = await awaitMarkedProcesses(carrel.home, LONGEST_REST_MS);
  requireNone('leftover', `processes still run after ${LONGEST_REST_MS / 1000} s`, found);
}

/** All that is the user's. */
export function readUser(machine: Machine, place: Place = 'user'): Readonly<Record<string, unknown>> {
  const repository = repositoryOf(machine, place);
  if (machine.shape.vcs === 'git' || place === 'beside') return fingerprint(repository);
  const described = describeUser(repository, 'colocated') as Readonly<Record<string, unknown>>;
  return Object.fromEntries(Object.entries(described).map(([name, value]) => [name, JSON.stringify(value)]));
}

/** The user's checkouts are as the user left them. */
export function checkUser(machine: Machine, model: Model): void {
  for (const place of PLACES) checkCheckout(machine, model, place);
}

export const PLACES: readonly Place[] = ['user', 'beside'];

const repositoryOf = ({ repository, beside }: Machine, place: Place): string =>
  place === 'user' ? repository : beside;

export function checkCheckout(machine: Machine, model: Model, place: Place): void {
  const found = readUser(machine, place);
  const known = model[place];
  const names = Object.keys(found).filter(name => found[name] !== known[name]);
  const lines = names.map(name => `${name} was ${show(known[name])} and is ${show(found[name])}`);
  requireNone(
    'user',
    `the ${place === 'user' ? "user's checkout" : 'checkout beside it'} was touched`,
    lines,
  );
}

const show = (value: unknown): string => JSON.stringify(value).slice(0, 400);

/** All that costs more than a moment: git's own check, files, refs, locks and mounts that nothing accounts for. */
export function checkSurroundings(machine: Machine, model: Model, pool: 'warm' | 'drained' = 'warm'): void {
  const { carrel } = machine;
  const all = PLACES.flatMap(place => listLeftovers(machine, place));
  const left = pool === 'warm' ? all.filter(line => !OF_POOL.test(line)) : all;
  requireNone(
    'leftover',
    'something is left over, or missing',
    left.filter(line => !isExplained(line, model)),
  );
  const mounts = findMounts(machine, model);
  requireNone(
    'leftover',
    'something is mounted',
    pool === 'warm' ? mounts.filter(line => !OF_POOL.test(line)) : mounts,
  );
  requireNone('loss', 'commits are held by no ref', findLostCommits(machine, model));
  for (const store of [join(carrel.stateDir, 'vault.git'), ...listKept(carrel.stateDir)])
    if (existsSync(store)) requireNone('repository', `git finds faults in ${store}`, runFsck(store));
}

/** Of one repository; the records of the other explain what is not in it. */
function listLeftovers(machine: Machine, place: Place): string[] {
  const { carrel, temporary, beside } = machine;
  const records = readSettledRecords(machine);
  const isHere = (row: { readonly [column: string]: unknown }) =>
    (row.repository === beside) === (place === 'beside');
  const workspaces = records.workspaces.filter(isHere);
  const others = records.workspaces.filter(row => !isHere(row));
  const own = {
    ...records,
    workspaces,
    snapshots: records.snapshots.filter(isHere),
    remains: records.remains.filter(isHere),
    ports: records.ports.filter(({ workspace_id: id }) => !others.some(other => other.id === id)),
  };
  const elsewhere = new Set([
    ...others.flatMap(({ id, path }) => [`folder: ${path}`, `folder: ${dirname(path)}`, `sandbox: ${id}`]),
    ...records.remains.filter(row => !isHere(row)).map(({ directory }) => `folder: ${directory}`),
  ]);
  const repository = repositoryOf(machine, place);
  return findLeftovers({ repository, carrel, temporary }, own).filter(line => !elsewhere.has(line));
}

/** What is the way it should be in an episode, although it would not be in the tests that this list was made for. */
function isExplained(line: string, model: Model): boolean {
  const [, path] = /^missing: (\/.*)$/.exec(line) ?? [];
  const workspaces = [...model.workspaces.values()];
  if (path !== undefined)
    return workspaces.some(
      one => one.path === path && (one.isMissing || one.kind === 'copy' || one.kind === 'jj'),
    );
  const [, snapshot] = /^missing: ref of (\S+)$/.exec(line) ?? [];
  if (snapshot !== undefined) return model.snapshots.get(snapshot)?.kind === 'copy';
  // The folder around a directory that was deleted behind Carrel's back goes with the workspace.
  if (
    /^folder: /.test(line) &&
    workspaces.some(one => one.isMissing && line === `folder: ${dirname(one.path)}`)
  )
    return true;
  if (/^worktree: prunable/.test(line)) return workspaces.some(({ isMissing }) => isMissing);
  const [, id] = /^ref: refs\/carrel\/workspaces\/(\w+)\/(?:bookmark|jj)\//.exec(line) ?? [];
  if (id !== undefined) return model.workspaces.has(id);
  const [, branch] = /^ref: refs\/heads\/carrel\/(\S+)$/.exec(line) ?? [];
  if (branch !== undefined && model.pruned.has(branch)) return true;
  return EXPLAINED.some(pattern => pattern.test(line));
}

/** Warm workspaces are meant to stay until the pool is drained. */
const OF_POOL = /\/\.?pool(\/|$)/;

const EXPLAINED = [
  // Copies of the records, kept by a repair; logs of tasks; what workspaces with shared files share.
  /^state: carrel\.db\.before-repair/,
  /^state: tasks$/,
  // What a clean-up has marked for a later one.
  /^state: expiring$/,
  /^folder: .*\/\.(templates|overlay)(\/|$)/,
  /^ref: refs\/carrel\/templates\//,
  // What a task made stays on its branch until it is landed.
  new RegExp(`^ref: refs/heads/carrel/${TASK_NAME}`),
];

function findMounts({ root, disk }: Machine, model: Model): string[] {
  const expected = new Set([disk?.path, ...[...model.workspaces.values()].map(({ path }) => path)]);
  return readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .map(line => line.split(' ')[4] ?? '')
    .filter(target => target.startsWith(`${root}/`) && !expected.has(target));
}

/** Also those that only the reflog of a workspace knows. */
function findLostCommits(machine: Machine, model: Model): string[] {
  if (model.commits.size === 0) return [];
  const list = (place: Place) =>
    git(repositoryOf(machine, place), 'rev-list', '--all', '--reflog').split('\n');
  const held = new Set(PLACES.flatMap(list));
  return [...model.commits].flatMap(([commit, name]) => (held.has(commit) ? [] : [`${commit} of ${name}`]));
}

const listKept = (stateDir: string): string[] =>
  ['sha1', 'sha256'].map(name => join(stateDir, 'kept', `${name}.git`));

function runFsck(store: string): string[] {
  try {
    execFileSync('git', ['fsck', '--no-dangling', '--no-progress'], {
      env: { ...gitEnv(), GIT_DIR: store },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return [];
  } catch (error) {
    return String((error as { stderr?: Buffer }).stderr ?? error)
      .split('\n')
      .filter(Boolean);
  }
}
