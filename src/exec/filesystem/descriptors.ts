import { constants, readlinkSync } from 'node:fs';
import { hasProc } from '../process/has-proc.js';

/** What the system supports for open files, where another process may replace paths with links at any moment. */
export interface Descriptors {
  /**
   * A path for an open file, for a process that knows the pid, regardless of what is at its original path now. Entries
   * of an open directory are below it. Undefined where only the original path can be used.
   */
  nameOf(descriptor: number, pid?: number): string | undefined;
  /** The current path of an open file, one character per byte; undefined where the kernel does not report it. */
  placeOf(descriptor: number): string | undefined;
  /** The flag for open(2) that follows no link: at the end of a path, and on macOS anywhere in it. */
  readonly noFollow: number;
}

/** Chooses what this system supports; the only place that decides. */
export const systemDescriptors = (platform: NodeJS.Platform = process.platform): Descriptors => {
  if (hasProc()) return procDescriptors;
  return platform === 'darwin' ? macosDescriptors : plainDescriptors;
};

const procDescriptors: Descriptors = {
  nameOf: (descriptor, pid) => `/proc/${pid ?? 'self'}/fd/${descriptor}`,
  placeOf: descriptor => readlinkSync(`/proc/self/fd/${descriptor}`, { encoding: 'latin1' }),
  noFollow: constants.O_NOFOLLOW,
};

/** Since macOS 11; used instead of O_NOFOLLOW, not together with it. Node has no constant for it. */
const O_NOFOLLOW_ANY = 0x20000000;

export const macosDescriptors: Descriptors = {
  nameOf: () => undefined,
  placeOf: () => undefined,
  noFollow: O_NOFOLLOW_ANY,
};

export const plainDescriptors: Descriptors = { ...macosDescriptors, noFollow: constants.O_NOFOLLOW };
