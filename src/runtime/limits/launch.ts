import type { Limits } from '../../domain/sandbox.js';

/** A command that first takes limits upon itself; everything that it becomes or starts inherits them. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
}

/**
 * Through a shell that joins the groups and then becomes the program: so no moment passes in which it runs outside of
 * them. When a group can't be joined it ends, and the program never runs.
 */
export function launchWithin(
  [program, ...args]: readonly [string, ...string[]],
  memberFiles: readonly string[],
  limits: Pick<Limits, 'fileSize'>,
): Launch {
  if (memberFiles.length === 0 && limits.fileSize === undefined) return { command: program, args };
  const blocks = limits.fileSize === undefined ? 'unlimited' : String(blocksOf(limits.fileSize));
  return { command: '/bin/sh', args: ['-c', SCRIPT, 'sh', blocks, ...memberFiles, '--', program, ...args] };
}

const SCRIPT = `
set -e
blocks=$1
shift
while [ "$1" != -- ]; do
  echo $$ > "$1"
  shift
done
shift
[ "$blocks" = unlimited ] || ulimit -f "$blocks"
exec "$@"
`;

/** The unit of a POSIX shell's `ulimit -f`. */
const BLOCK = 512;
const blocksOf = (bytes: number): number => Math.max(1, Math.floor(bytes / BLOCK));
