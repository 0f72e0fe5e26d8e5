import { readdirSync, readlinkSync, statSync } from 'node:fs';
import { currentRealm, toIdentity } from '../process/identify-process.js';
import { listProcPids, readProcFile, unlessHidden } from '../process/proc-table.js';
import { findProcess } from '../process/process-table.js';
import type { ProcessInside } from './processes-inside.js';

/** With the links in Linux's /proc; nothing is opened, so thousands of descriptors take milliseconds. */
export function findWithProc(directory: string): ProcessInside[] {
  const isInside = createPathTest(directory);
  const realm = currentRealm();
  return listProcPids().flatMap(pid => {
    const how = pid === process.pid ? undefined : findHold(pid, isInside);
    const entry = how && findProcess(pid);
    return entry ? [{ identity: toIdentity(entry, realm), command: describeCommand(pid), how }] : [];
  });
}

/** Undefined when the link can't be read. */
type LinkTest = (link: string) => boolean | undefined;

/**
 * The program first. When that link can't be read, neither can the others: it is a kernel thread, an exiting process,
 * or another user's process, and every descriptor would fail with an error.
 */
function findHold(pid: number, isInside: LinkTest): ProcessInside['how'] | undefined {
  const program = isInside(`/proc/${pid}/exe`);
  if (program === undefined) return undefined;
  if (isInside(`/proc/${pid}/cwd`)) return 'cwd';
  if (isInside(`/proc/${pid}/root`)) return 'root';
  // A daemon may have left everything but its own program file.
  if (program) return 'open-file';
  const descriptors = unlessHidden(() => readdirSync(`/proc/${pid}/fd`)) ?? [];
  return descriptors.some(descriptor => isInside(`/proc/${pid}/fd/${descriptor}`)) ? 'open-file' : undefined;
}

/** Compares bytes (latin1), because names need not be UTF-8. The kernel appends " (deleted)" to deleted paths. */
function createPathTest(directory: string): LinkTest {
  const path = Buffer.from(directory).toString('latin1');
  const below = path.endsWith('/') ? path : `${path}/`;
  return link => {
    const target = unlessHidden(() => readlinkSync(link, 'latin1'));
    if (target === undefined) return undefined;
    return target === path || target.startsWith(below) || (target === `${path} (deleted)` && isDeleted(link));
  };
}

/** Distinguishes the deleted directory from one whose name really ends like that. */
function isDeleted(link: string): boolean {
  return unlessHidden(() => statSync(link).nlink) === 0;
}

const LONGEST_COMMAND = 200;

function describeCommand(pid: number): string {
  const bytes = readProcFile(pid, 'cmdline') || `[${readProcFile(pid, 'comm')?.trim() ?? '?'}]`;
  const text = Buffer.from(bytes, 'latin1').toString('utf8');
  // A process chooses its own command line; it must not control the terminal that displays it.
  return text
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, LONGEST_COMMAND);
}
