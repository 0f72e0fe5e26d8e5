import { type BytePath, displayPath } from '../byte-path.js';
import type { FoundFiles } from './walk.js';

export interface IgnoredLimits {
  /** Maximum bytes of ignored files to keep. */
  readonly ignoredBytes: number;
  /** Names of directories that tools recreate; left out when ignored. */
  readonly regenerable: readonly string[];
}

/** A file or directory that is left out, with the reason as text. */
export interface Omitted {
  readonly path: string;
  readonly bytes: number;
  readonly reason: string;
}

export interface IgnoredFiles {
  readonly taken: readonly BytePath[];
  readonly omitted: readonly Omitted[];
  /** Those omitted only because of the limit. */
  readonly beyondLimit: readonly Omitted[];
}

/**
 * Decides which ignored files are kept. A directory with nothing but ignored files is kept or left out as a whole; small
 * ones come first, so that one large cache does not push out a `.env`.
 */
export function chooseIgnored(
  found: FoundFiles,
  ignored: readonly BytePath[],
  occupied: ReadonlySet<BytePath>,
  limits: IgnoredLimits,
): IgnoredFiles {
  const groups = groupFiles(found, ignored, occupied).sort(
    (a, b) => a.bytes - b.bytes || (a.path < b.path ? -1 : 1),
  );
  const taken: Group[] = [];
  const beyondLimit: Omitted[] = [];
  let left = limits.ignoredBytes;
  for (const group of groups) {
    if (group.bytes <= left) {
      left -= group.bytes;
      taken.push(group);
    } else {
      const reason = `ignored files above the limit of ${limits.ignoredBytes} bytes`;
      beyondLimit.push({ path: displayPath(group.path), bytes: group.bytes, reason });
    }
  }
  const omitted = [...omitRegenerable(found), ...omitSpecial(found.special), ...beyondLimit];
  return { taken: taken.flatMap(group => group.files), omitted, beyondLimit };
}

interface Group {
  readonly path: BytePath;
  readonly files: BytePath[];
  bytes: number;
}

function groupFiles(
  found: FoundFiles,
  ignored: readonly BytePath[],
  occupied: ReadonlySet<BytePath>,
): Group[] {
  const groups = new Map<BytePath, Group>();
  for (const file of ignored) {
    const path = topUnoccupied(file, occupied);
    const group = groups.get(path) ?? { path, files: [], bytes: 0 };
    group.files.push(file);
    group.bytes += found.files.get(file)?.bytes ?? 0;
    groups.set(path, group);
  }
  return [...groups.values()];
}

/** The highest directory on the way to the file that holds nothing tracked or untracked; else the file itself. */
function topUnoccupied(file: BytePath, occupied: ReadonlySet<BytePath>): BytePath {
  for (let end = file.indexOf('/'); end !== -1; end = file.indexOf('/', end + 1)) {
    if (!occupied.has(file.slice(0, end))) return file.slice(0, end);
  }
  return file;
}

const omitRegenerable = (found: FoundFiles): Omitted[] =>
  found.regenerable.map(({ path, bytes }) => ({
    path: displayPath(path),
    bytes,
    reason: 'tools can recreate it',
  }));

export const omitSpecial = (special: readonly BytePath[]): Omitted[] =>
  special.map(path => ({ path: displayPath(path), bytes: 0, reason: 'a named pipe, socket or device' }));
