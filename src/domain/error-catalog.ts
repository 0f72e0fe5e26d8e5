import type { ErrorEntry } from './error.js';
import { batchErrors } from './errors/batch-errors.js';
import { clientErrors } from './errors/client-errors.js';
import { configErrors } from './errors/config-errors.js';
import { inputErrors } from './errors/input-errors.js';
import { integrationErrors } from './errors/integration-errors.js';
import { machineErrors } from './errors/machine-errors.js';
import { poolErrors } from './errors/pool-errors.js';
import { repositoryErrors } from './errors/repository-errors.js';
import { sandboxErrors } from './errors/sandbox-errors.js';
import { serverErrors } from './errors/server-errors.js';
import { taskErrors } from './errors/task-errors.js';
import { workspaceErrors } from './errors/workspace-errors.js';

/** Every error that Carrel reports on purpose. docs/reference/errors.md is generated from it. */
export const errorCatalog = {
  ...inputErrors,
  ...configErrors,
  ...repositoryErrors,
  ...workspaceErrors,
  ...poolErrors,
  ...sandboxErrors,
  ...taskErrors,
  ...batchErrors,
  ...serverErrors,
  ...clientErrors,
  ...integrationErrors,
  ...machineErrors,
} as const;

export type ErrorCode = keyof typeof errorCatalog;

export type ErrorDetails<Code extends ErrorCode> =
  (typeof errorCatalog)[Code] extends ErrorEntry<infer Details> ? Details : never;
