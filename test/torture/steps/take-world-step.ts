import { copyFileSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { git } from '../../helpers/repository.js';
import { createSeededRandom } from '../../helpers/seeded-random.js';
import { removeTree } from '../../helpers/temp.js';
import { readUser } from '../checks/check-surroundings.js';
import type { Machine } from '../machine/machine.js';
import { findByName, type KnownWorkspace, knowsParts, listByName, type Model } from '../model/model.js';
import { observe } from '../model/observation.js';
import { edits } from './edits.js';
import { commitAll } from './git-edits.js';
import type { WorldStep } from './step.js';

/** Does it, and lets the model know. False when, as things are, it means nothing. */
export function takeWorldStep(step: WorldStep, machine: Machine, model: Model): boolean {
  const { repository } = machine;
  switch (step.op) {
    case 'edit':
      return edit(step, chooseOne(listByName(model, step.name), step.seed));
    case 'lose-records':
      // A repair rebuilds the parts of a workspace, but not which snapshots were taken together.
      return !knowsParts(model) && loseRecords(machine, step.how);
    case 'move-repository':
      if (knowsParts(model)) return false;
      machine.moveRepository();
      return true;
    case 'delete-directory':
      return deleteDirectory(findByName(model, step.name), machine);
    case 'git-gc':
      for (const each of [repository, machine.beside]) git(each, 'gc', '--quiet', '--prune=now');
      return true;
    case 'worktree-prune':
      return pruneWorktrees(repository, model);
    case 'user-edit':
      writeFileSync(join(repository, 'mine.txt'), `${step.seed}\n`);
      model.user = readUser(machine);
      return true;
    case 'user-commit':
      tryTo(() => commitAll(repository, 'of the user'));
      model.user = readUser(machine);
      return true;
  }
}

/** One of the parts. */
const chooseOne = (parts: readonly KnownWorkspace[], seed: number): KnownWorkspace | undefined =>
  parts[seed % Math.max(1, parts.length)];

function edit(
  { edit: kind, seed }: Extract<WorldStep, { op: 'edit' }>,
  workspace: KnownWorkspace | undefined,
): boolean {
  if (!workspace || workspace.isMissing) return false;
  const random = createSeededRandom(seed);
  tryTo(() => edits[kind](workspace.path, random));
  workspace.observation = observe(workspace.path, workspace.kind === 'git');
  return true;
}

/** What can't be done as things are is not done, or only in part, as when a user types it. */
function tryTo(action: () => void): void {
  try {
    action();
  } catch {
    // The model gets the actual state, not the intended one.
  }
}

const DATABASE = 'carrel.db';
const listDatabase = (stateDir: string): string[] =>
  existsSync(stateDir) ? readdirSync(stateDir).filter(name => /^carrel\.db(-wal|-shm)?$/.test(name)) : [];

/** For a database that is older than everything else. */
export function keepOldRecords({ carrel }: Machine): void {
  for (const name of readdirSync(carrel.home)) if (name.startsWith('old-')) rmSync(join(carrel.home, name));
  for (const name of listDatabase(carrel.stateDir))
    copyFileSync(join(carrel.stateDir, name), join(carrel.home, `old-${name}`));
}

function loseRecords({ carrel }: Machine, how: 'gone' | 'older' | 'emptied'): boolean {
  const { stateDir, home } = carrel;
  const old = readdirSync(home).filter(name => name.startsWith(`old-${DATABASE}`));
  if (listDatabase(stateDir).length === 0 || (how === 'older' && old.length === 0)) return false;
  for (const name of listDatabase(stateDir)) rmSync(join(stateDir, name));
  if (how === 'emptied') writeFileSync(join(stateDir, DATABASE), '');
  if (how === 'older') for (const name of old) copyFileSync(join(home, name), join(stateDir, name.slice(4)));
  return true;
}

/** As a program that cleans caches does. What is mounted it cannot remove. */
function deleteDirectory(workspace: KnownWorkspace | undefined, { shape }: Machine): boolean {
  if (!workspace || workspace.isMissing || workspace.isPart || shape.files === 'overlay') return false;
  removeTree(workspace.path);
  workspace.isMissing = true;
  return true;
}

/** Git then forgets the HEAD and the reflog of worktrees that are gone: the user's own doing. */
function pruneWorktrees(repository: string, model: Model): boolean {
  git(repository, 'worktree', 'prune');
  for (const { name, isMissing } of model.workspaces.values()) {
    if (isMissing) model.pruned.add(name);
    for (const [commit, of] of model.commits) if (isMissing && of === name) model.commits.delete(commit);
  }
  return true;
}
