import type { ProcessIdentity } from '../../../domain/process-identity.js';
import { identifyProcess } from '../../../exec/process/identify-process.js';
import { systemProcesses } from '../../../exec/process/process-table.js';

/**
 * The first process of a container, by the pid that its engine reports; undefined when it is not on this machine. On
 * macOS, and with Docker Desktop on Linux, containers run in a virtual machine, and another process of the user may
 * have that pid here: it must not be killed instead of the container. A process in a container has another pid
 * namespace than we have.
 */
export function identifyMain(pid: number, source = systemProcesses()): ProcessIdentity | undefined {
  if (pid <= 1 || source.namespaceOf(pid) === source.namespaceOf()) return undefined;
  return identifyProcess(pid, source);
}
