import type { ProcessIdentity } from '../domain/process-identity.js';
import { listProcPids, readProcFile } from './proc-table.js';
import { currentRealm, toIdentity } from './process-identity.js';
import { findProcess, hasProc } from './process-table.js';
import { COMMAND_ID_VARIABLE } from './process-tree.js';

/** For the environment of every git that Carrel starts on its own account: which Carrel process it works for. */
export const parentVariables = (parent: ProcessIdentity) => ({ [PARENT_VARIABLE]: describe(parent) });

const PARENT_VARIABLE = 'CARREL_PARENT';
const describe = ({ pid, startedAt }: ProcessIdentity): string => `${pid}.${startedAt}`;

/**
 * The living processes that a Carrel process, dead by now, has started with `parentVariables`, and theirs. Only Linux
 * shows the environment of another process; elsewhere none are found.
 */
export function findOrphans(parent: ProcessIdentity): ProcessIdentity[] {
  const variable = `\0${PARENT_VARIABLE}=${describe(parent)}\0`;
  return findByEnvironment(parent, environment => environment.includes(variable));
}

/**
 * Ends the commands that a Carrel process has started in workspaces, and theirs, without a moment's grace: for a process
 * that is told to end at once and can wait for nothing. Its own gits are left to finish.
 */
export function killCommandsOf(parent: ProcessIdentity): void {
  const variable = `\0${PARENT_VARIABLE}=${describe(parent)}\0`;
  const isCommand = (environment: string) =>
    environment.includes(variable) && environment.includes(`\0${COMMAND_ID_VARIABLE}=`);
  for (const { pid } of findByEnvironment(parent, isCommand)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // Gone meanwhile, or not ours to end.
    }
  }
}

function findByEnvironment(
  parent: ProcessIdentity,
  isWanted: (environment: string) => boolean,
): ProcessIdentity[] {
  const realm = currentRealm();
  if (!hasProc() || parent.realm !== realm) return [];
  return listProcPids().flatMap(pid => {
    const isFound = isWanted(`\0${readProcFile(pid, 'environ') ?? ''}\0`);
    const entry = isFound && pid !== process.pid && findProcess(pid);
    return entry ? [toIdentity(entry, realm)] : [];
  });
}
