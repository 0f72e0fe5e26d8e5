import { readFileSync } from 'node:fs';
import { errnoOf } from '../domain/error.js';

/** One line of Linux's /proc/self/mountinfo, as far as we ask for it. See proc_pid_mountinfo(5). */
export interface MountEntry {
  readonly target: string;
  /** The file system's type, such as `overlay`. */
  readonly type: string;
  /** Options of the mount and of the file system, `name=value` or `name`. */
  readonly options: readonly string[];
}

/** All mounts that this process sees, in the order in which they cover each other; none where there is no such table. */
export function readMountTable(): MountEntry[] {
  return parseMountTable(readTable());
}

export const parseMountTable = (text: string): MountEntry[] =>
  text.split('\n').filter(Boolean).map(parseEntry);

/** What is mounted exactly there, the topmost when it is several; undefined when nothing is. A real path. */
export function findMount(target: string): MountEntry | undefined {
  return readMountTable().findLast(entry => entry.target === target);
}

/** The value of an option; undefined when it is not set. */
export function optionOf(entry: MountEntry, name: string): string | undefined {
  return entry.options.find(option => option.startsWith(`${name}=`))?.slice(name.length + 1);
}

function readTable(): string {
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return '';
    throw error;
  }
}

/** `36 35 98:0 /root /target rw,noatime shared:1 - ext4 /dev/sda rw,errors=continue`; before `-` come optional fields. */
function parseEntry(line: string): MountEntry {
  const fields = line.split(' ');
  const [type = '', , fileSystem = ''] = fields.slice(fields.indexOf('-', 6) + 1);
  const options = `${fields[5] ?? ''},${fileSystem}`.split(',').map(decode);
  return { target: decode(fields[4] ?? ''), type, options };
}

/** Whatever would break the table stands there as an octal number: space `\040`, comma `\054`, backslash `\134`. */
const decode = (text: string): string =>
  text.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
