import { createBuiltInBackends } from '../built-in-backends.js';
import { gitEnvironment } from '../exec/command-environment.js';
import { runProcess } from '../exec/run-process.js';
import { createGit } from '../git/git.js';
import { createRepositoryLocator } from '../git/repository/repository-locator.js';
import { createJj } from '../jj/jj.js';
import type { BackendParts } from '../workspace/backend-registry.js';

/** What `createCarrel` and the configuration give a backend, for a test of it. Nothing is written before it is used. */
export function createBackendParts(options: {
  readonly stateDir: string;
  readonly temporaryRoot: string;
  readonly environment: Readonly<Record<string, string>>;
}): BackendParts {
  const { stateDir, temporaryRoot, environment } = options;
  const env = gitEnvironment(environment);
  const git = createGit({ run: runProcess, env });
  const jj = createJj({ run: runProcess, env });
  const { locate } = createRepositoryLocator(git);
  const backends = createBuiltInBackends({ git, jj, locate, stateDir, temporaryRoot });
  return { git, backends, stateDir, temporaryRoot };
}
