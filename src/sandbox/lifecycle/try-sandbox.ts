import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { carrelError } from '../../domain/error/error.js';
import type { SandboxedRuntime } from '../../domain/isolation/decide-isolation.js';
import type { SandboxSettings } from '../../domain/sandbox/sandbox.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { withScratchDirectory } from '../../git/disk/scratch-directory.js';
import { sandboxPlace } from '../sandbox-place.js';
import type { SandboxesOptions } from '../sandboxes.js';
import { createSandbox } from './create-sandbox.js';
import { removeSandbox } from './remove-sandboxes.js';

export interface SandboxTrial {
  /** For a workspace that does not exist. */
  readonly id: string;
  readonly runtime: SandboxedRuntime;
  readonly settings: SandboxSettings;
  /** A program that must exist inside. */
  readonly program: 'git' | 'sh';
}

const TRIAL_MS = 60_000;

/**
 * Starts the sandbox that a workspace with these settings would have, around an empty directory, and removes it again.
 * It is in a scratch directory: recovery deletes that if this process is killed. IMAGE_MISSING, SANDBOX_REFUSED,
 * RUNTIME_UNAVAILABLE, LIMIT_NOT_ENFORCEABLE.
 */
export const trySandbox = (options: SandboxesOptions, trial: SandboxTrial): Promise<void> =>
  withScratchDirectory(options.stateDir, stateDir => startOnce({ ...options, stateDir }, trial));

async function startOnce(options: SandboxesOptions, trial: SandboxTrial): Promise<void> {
  const place = sandboxPlace(options.stateDir, trial.id);
  const record = describeTrial(trial, join(place.root, 'work'), options.now());
  try {
    await mkdir(record.path, { recursive: true, mode: 0o700 });
    await createSandbox(options, record, place);
    const { run } = await options.open(record, place);
    const script = `command -v ${trial.program} >/dev/null`;
    const { exitCode } = await run({ command: ['sh', '-c', script], timeoutMs: TRIAL_MS });
    if (exitCode === 0) return;
    const problem = `it has no ${trial.program}`;
    throw carrelError('SANDBOX_REFUSED', { runtime: trial.runtime, problem });
  } finally {
    await removeSandbox(options, record, place);
  }
}

function describeTrial({ id, runtime, settings }: SandboxTrial, path: string, now: number): WorkspaceRecord {
  const at = new Date(now).toISOString();
  return {
    ...{ id, name: 'trial', path, repository: path, repositoryId: id, backend: 'directory', runtime },
    ...{ commonDir: null, branch: null, ownsBranch: false, base: { ref: null, commit: null } },
    isolation: { requested: 'full', effective: 'full', reason: null },
    ...{ status: 'creating', operationId: null, createdAt: at, lastActivityAt: at },
    ...{ ports: [], warnings: [], template: null, environment: {}, included: [] },
    sandbox: settings,
  };
}
