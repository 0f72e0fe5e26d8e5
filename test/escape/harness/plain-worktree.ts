import { join } from 'node:path';
import { addHistory, giveTo } from '../../helpers/escape/escape-surroundings.js';
import type { EscapeFixture } from '../../helpers/escape/escape-workspace.js';
import { git, makeRepository } from '../../helpers/repository.js';

let count = 0;

/** For controls: a repository of the user's with a worktree on the branch `carrel/a`, and nothing around it. */
export function makePlainWorktree(fixture: EscapeFixture): { repository: string; path: string } {
  const place = join(fixture.home, `control-${count++}`);
  const repository = makeRepository({ 'README.md': 'hello\n' }, join(place, 'repo'));
  addHistory(repository);
  git(repository, 'update-ref', 'refs/carrel/workspaces/ws_1/base', 'v1');
  const path = join(place, 'a');
  git(repository, 'worktree', 'add', '--quiet', '-b', 'carrel/a', path);
  giveTo(place, fixture.uid);
  return { repository, path };
}
