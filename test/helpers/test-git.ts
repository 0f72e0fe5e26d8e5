import { gitEnvironment } from '../../src/exec/environment.js';
import { runProcess } from '../../src/exec/run.js';
import { createGit, type Git } from '../../src/git/git.js';
import { gitEnv } from './repository.js';

/** git as Carrel calls it, with the tests' own configuration. */
export function testGit(): Git {
  return createGit({ run: runProcess, env: gitEnvironment(gitEnv()) });
}
