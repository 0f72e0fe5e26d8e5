import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../../domain/error/error.js';
import type { ProcessIdentity } from '../../domain/process-identity.js';
import { identifyProcess, isAlive } from '../../exec/process/identify-process.js';
import { findSandboxRoots, type SandboxRoot } from '../../exec/stop/sandbox-processes.js';

/**
 * Records running commands, one file each with the process that represents the command: macOS hides the environment of
 * its own programs, such as the shell, by which commands are found on other systems.
 */
const placeOf = (directory: string): string => join(directory, 'seatbelt');

/** Returns a function that removes the file when the command has exited; idempotent. */
export function recordRunning(directory: string, workspaceId: string, pid: number): () => void {
  const identity = identifyProcess(pid);
  if (!identity) return () => undefined;
  const file = join(placeOf(directory), `${workspaceId}.${pid}`);
  mkdirSync(placeOf(directory), { recursive: true, mode: 0o700 });
  writeFileSync(file, JSON.stringify(identity), { mode: 0o600 });
  return () => rmSync(file, { force: true });
}

/** The processes that represent commands of a workspace, or of all, without duplicates. */
export function findRunning(directory: string, workspaceId?: string): SandboxRoot[] {
  const recorded = listNames(placeOf(directory)).flatMap(name => readRoot(directory, name) ?? []);
  const ofWorkspace = recorded.filter(root => root.workspaceId === (workspaceId ?? root.workspaceId));
  const known = new Set(ofWorkspace.map(({ identity }) => identity.pid));
  const marked = findSandboxRoots('seatbelt', workspaceId).filter(({ identity }) => !known.has(identity.pid));
  return [...ofWorkspace, ...marked];
}

function listNames(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  }
}

/** Undefined when the process is dead, and then the file is removed; a truncated file is ignored. */
function readRoot(directory: string, name: string): SandboxRoot | undefined {
  const file = join(placeOf(directory), name);
  const identity = parse(file);
  if (identity && isAlive(identity) === 'alive') return { workspaceId: name.replace(/\.\d+$/, ''), identity };
  if (identity) rmSync(file, { force: true });
  return undefined;
}

function parse(file: string): ProcessIdentity | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
