import { carrelError } from '../domain/error.js';
import type { SandboxSettings } from '../domain/sandbox.js';
import type { WorkspaceRecord } from '../domain/workspace.js';

/** For whoever knows that the workspace has a sandbox. */
export function requireSettings(record: WorkspaceRecord): SandboxSettings {
  if (record.sandbox) return record.sandbox;
  throw carrelError('INTERNAL', { problem: `the workspace ${record.id} has no sandbox` });
}
