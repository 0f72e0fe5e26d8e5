import { carrelError } from '../domain/error/error.js';
import type { SandboxSettings } from '../domain/sandbox/sandbox.js';
import type { WorkspaceRecord } from '../domain/workspace/workspace.js';

/** For callers that know that the workspace has a sandbox. */
export function requireSettings(record: WorkspaceRecord): SandboxSettings {
  if (record.sandbox) return record.sandbox;
  throw carrelError('INTERNAL', { problem: `the workspace ${record.id} has no sandbox` });
}
