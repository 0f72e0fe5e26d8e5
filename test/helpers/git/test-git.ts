import { gitEnvironment } from '../../../src/exec/command-environment.js';
import { runProcess } from '../../../src/exec/run-process.js';
import { createGit, type Git } from '../../../src/git/git.js';
import { gitEnv } from '../repository.js';

/** git as Carrel calls it, with the tests' own configuration. */
export function testGit(run: typeof runProcess = runProcess): Git {
  return createGit({ run, env: gitEnvironment(gitEnv()) });
}
