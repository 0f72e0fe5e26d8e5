import type { ProcessIdentity } from '../../domain/process-identity.js';
import { currentRealm, toIdentity } from '../process/identify-process.js';
import { isSameRealm, parseRealm } from '../process/process-realm.js';
import type { ProcessSource, ProcessVariables } from '../process/process-source.js';
import { systemProcesses } from '../process/process-table.js';
import { COMMAND_ID_VARIABLE } from '../process/process-tree.js';

/** For the environment of every git that Carrel runs for itself: names the Carrel process. */
export const parentVariables = (parent: ProcessIdentity) => ({ [PARENT_VARIABLE]: describe(parent) });

const PARENT_VARIABLE = 'CARREL_PARENT';
const describe = ({ pid, startedAt }: ProcessIdentity): string => `${pid}.${startedAt}`;

/**
 * The living processes that a dead Carrel process started with `parentVariables`, and their descendants, where the
 * system shows the environment of other processes. Linux does; macOS does not for its own programs.
 */
export function findOrphans(parent: ProcessIdentity, source = systemProcesses()): ProcessIdentity[] {
  const variable = `\0${PARENT_VARIABLE}=${describe(parent)}\0`;
  return findByEnvironment(parent, source, environment => environment.includes(variable));
}

/**
 * Kills the commands that a Carrel process has started in workspaces, and their children, without a grace period: for a process that must
 * exit at once. Its own git processes are left to finish.
 */
export function killCommandsOf(parent: ProcessIdentity, source = systemProcesses()): void {
  const variable = `\0${PARENT_VARIABLE}=${describe(parent)}\0`;
  const isCommand = (environment: ProcessVariables) =>
    environment.includes(variable) && environment.includes(`\0${COMMAND_ID_VARIABLE}=`);
  for (const { pid } of findByEnvironment(parent, source, isCommand)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // Gone in the meantime, or no permission.
    }
  }
}

function findByEnvironment(
  parent: ProcessIdentity,
  source: ProcessSource,
  isWanted: (environment: ProcessVariables) => boolean,
): ProcessIdentity[] {
  const realm = currentRealm(source);
  const isReachable = findReach(parent.realm, realm, source);
  const environmentOf = source.readEnvironments();
  return source
    .pids()
    .filter(pid => pid !== process.pid && isReachable(pid) && isWanted(environmentOf(pid) ?? ''))
    .flatMap(pid => source.find(pid) ?? [])
    .map(entry => toIdentity(entry, realm));
}

/**
 * The processes of a namespace created from ours, such as a container's, are visible to us. That they are in it is
 * checked, because one of our processes may have the same pid and start time.
 */
function findReach(of: string, here: string, source: ProcessSource): (pid: number) => boolean {
  if (isSameRealm(of, here)) return () => true;
  const { boot, namespace } = parseRealm(of);
  return boot === parseRealm(here).boot ? pid => source.namespaceOf(pid) === namespace : () => false;
}
