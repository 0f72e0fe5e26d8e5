import type { ProcessIdentity } from '../domain/process-identity.js';
import { listProcPids, readProcFile } from './proc-table.js';
import { currentRealm, toIdentity } from './process-identity.js';
import { findProcess, hasProc } from './process-table.js';

/** For the environment of every git that Carrel starts on its own account: which Carrel process it works for. */
export const parentVariables = (parent: ProcessIdentity) => ({ [PARENT_VARIABLE]: describe(parent) });

const PARENT_VARIABLE = 'CARREL_PARENT';
const describe = ({ pid, startedAt }: ProcessIdentity): string => `${pid}.${startedAt}`;

/**
 * The living processes that a Carrel process, dead by now, has started with `parentVariables`, and theirs. Only Linux
 * shows the environment of another process; elsewhere none are found.
 */
export function findOrphans(parent: ProcessIdentity): ProcessIdentity[] {
  const realm = currentRealm();
  if (!hasProc() || parent.realm !== realm) return [];
  const variable = `\0${PARENT_VARIABLE}=${describe(parent)}\0`;
  return listProcPids().flatMap(pid => {
    const isOrphan = `\0${readProcFile(pid, 'environ') ?? ''}\0`.includes(variable);
    const entry = isOrphan && pid !== process.pid && findProcess(pid);
    return entry ? [toIdentity(entry, realm)] : [];
  });
}
