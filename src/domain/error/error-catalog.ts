import { backendErrors } from './catalog/backend-errors.js';
import { batchErrors } from './catalog/batch-errors.js';
import { clientErrors } from './catalog/client-errors.js';
import { configErrors } from './catalog/config-errors.js';
import { blobErrors } from './catalog/fleet/blob-errors.js';
import { jobErrors } from './catalog/fleet/job-errors.js';
import { workerErrors } from './catalog/fleet/worker-errors.js';
import { fleetErrors } from './catalog/fleet-errors.js';
import { inputErrors } from './catalog/input-errors.js';
import { integrationErrors } from './catalog/integration-errors.js';
import { machineErrors } from './catalog/machine-errors.js';
import { poolErrors } from './catalog/pool-errors.js';
import { repositoryErrors } from './catalog/repository-errors.js';
import { sandboxErrors } from './catalog/sandbox-errors.js';
import { serverErrors } from './catalog/server-errors.js';
import { taskErrors } from './catalog/task-errors.js';
import { workspaceErrors } from './catalog/workspace-errors.js';
import type { ErrorEntry } from './error.js';

/** Every error that Carrel reports on purpose. docs/reference/errors.md is generated from it. */
export const errorCatalog = {
  ...inputErrors,
  ...configErrors,
  ...repositoryErrors,
  ...workspaceErrors,
  ...backendErrors,
  ...poolErrors,
  ...sandboxErrors,
  ...taskErrors,
  ...batchErrors,
  ...fleetErrors,
  ...blobErrors,
  ...jobErrors,
  ...workerErrors,
  ...serverErrors,
  ...clientErrors,
  ...integrationErrors,
  ...machineErrors,
} as const;

/** The stable code of an error, such as `WORKSPACE_NOT_FOUND`. New versions add codes and keep the existing ones. */
export type ErrorCode = keyof typeof errorCatalog;

export type ErrorDetails<Code extends ErrorCode> =
  (typeof errorCatalog)[Code] extends ErrorEntry<infer Details> ? Details : never;
