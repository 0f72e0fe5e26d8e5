import type { FailureKind } from '../../domain/task/failure.js';

/** The failure kind of an error; bugs and unexpected errors are `internal`. */
export const failureKind = (code: string): FailureKind => KINDS[code] ?? 'internal';

const KINDS: Readonly<Partial<Record<string, FailureKind>>> = {
  PROGRAM_MISSING: 'program-missing',
  PROGRAM_NOT_INSTALLED: 'program-missing',
  AGENT_KEY_MISSING: 'key-missing',
  WORKSPACE_MISSING: 'workspace-lost',
  WORKSPACE_REPLACED: 'workspace-lost',
  WORKSPACE_MOVED: 'workspace-lost',
  NO_SUCH_DIRECTORY: 'workspace-lost',
  DISK_FULL: 'disk-full',
  SANDBOX_REFUSED: 'isolation',
  SANDBOX_DAMAGED: 'isolation',
  RUNTIME_UNAVAILABLE: 'isolation',
  ISOLATION_UNAVAILABLE: 'isolation',
  IMAGE_MISSING: 'isolation',
  LIMIT_NOT_ENFORCEABLE: 'isolation',
};
