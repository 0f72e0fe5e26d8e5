import { join } from 'node:path';
import type { EscapeDesk } from '../helpers/escape-desk.js';
import { addHistory, giveTo } from '../helpers/escape-surroundings.js';
import { git, makeRepository } from '../helpers/repository.js';

let count = 0;

/** For controls: a repository of the user's with a worktree on the branch `carrel/a`, and nothing around it. */
export function makePlainWorktree(desk: EscapeDesk): { repository: string; path: string } {
  const place = join(desk.home, `control-${count++}`);
  const repository = makeRepository({ 'README.md': 'hello\n' }, join(place, 'repo'));
  addHistory(repository);
  git(repository, 'update-ref', 'refs/carrel/workspaces/ws_1/base', 'v1');
  const path = join(place, 'a');
  git(repository, 'worktree', 'add', '--quiet', '-b', 'carrel/a', path);
  giveTo(place, desk.uid);
  return { repository, path };
}
