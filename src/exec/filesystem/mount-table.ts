import { readFileSync } from 'node:fs';
import { hasProc } from '../process/has-proc.js';
import { runSystemProgram } from '../process/system-program.js';

/** One mount: a line of Linux's /proc/self/mountinfo, or of macOS's `mount`. */
export interface MountEntry {
  readonly target: string;
  /** The file system's type, such as `overlay`. */
  readonly type: string;
  /** Options of the mount and of the file system, `name=value` or `name`. */
  readonly options: readonly string[];
}

/** All mounts that this process sees; later ones cover earlier ones. */
export function readMountTable(run = runSystemProgram, isLinux = hasProc()): MountEntry[] {
  if (isLinux) return parseMountTable(readFileSync('/proc/self/mountinfo', 'utf8'));
  return parseMountList(Buffer.from(run('mount', []).stdout, 'latin1').toString('utf8'));
}

/** See proc_pid_mountinfo(5). */
export const parseMountTable = (text: string): MountEntry[] =>
  text.split('\n').filter(Boolean).map(parseEntry);

/** `/dev/disk3s5 on /System/Volumes/Data (apfs, local, journaled)` of BSD; Linux has ` type ext4 (rw)` there. */
const parseMountList = (text: string): MountEntry[] =>
  text.split('\n').flatMap(line => {
    const match = /^.*? on (.*) \(([^(,]*)(?:, )?([^(]*)\)$/.exec(line);
    if (!match) return [];
    const [, target = '', type = '', options = ''] = match;
    return [{ target, type, options: options.split(', ').filter(Boolean) }];
  });

/** What is mounted exactly at a real path, the topmost if there are several; undefined when nothing is. */
export function findMount(target: string): MountEntry | undefined {
  return readMountTable().findLast(entry => entry.target === target);
}

/** The value of an option; undefined when it is not set. */
export function optionOf(entry: MountEntry, name: string): string | undefined {
  return entry.options.find(option => option.startsWith(`${name}=`))?.slice(name.length + 1);
}

/** `36 35 98:0 /root /target rw,noatime shared:1 - ext4 /dev/sda rw,errors=continue`; before `-` come optional fields. */
function parseEntry(line: string): MountEntry {
  const fields = line.split(' ');
  const [type = '', , fileSystem = ''] = fields.slice(fields.indexOf('-', 6) + 1);
  const options = `${fields[5] ?? ''},${fileSystem}`.split(',').map(decode);
  return { target: decode(fields[4] ?? ''), type, options };
}

/** Characters that would break the table are octal escapes: space `\040`, comma `\054`, backslash `\134`. */
const decode = (text: string): string =>
  text.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
