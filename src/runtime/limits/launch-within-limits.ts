import type { Limits } from '../../domain/sandbox/sandbox.js';

/** A command that first applies limits to itself; everything that it becomes or starts inherits them. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
}

/**
 * A shell joins the groups and then becomes the program, so it never runs outside of them. If a group can't be joined
 * the shell exits, and the program never runs.
 */
export function launchWithin(
  [program, ...args]: readonly [string, ...string[]],
  memberFiles: readonly string[],
  limits: Pick<Limits, 'fileSize'>,
  oomScore?: number,
): Launch {
  if (memberFiles.length === 0 && limits.fileSize === undefined && oomScore === undefined)
    return { command: program, args };
  const blocks = limits.fileSize === undefined ? 'unlimited' : String(blocksOf(limits.fileSize));
  const words = [blocks, String(oomScore ?? 'none'), ...memberFiles, '--', program, ...args];
  return { command: '/bin/sh', args: ['-c', SCRIPT, 'sh', ...words] };
}

const SCRIPT = `
set -e
blocks=$1
score=$2
shift 2
[ "$score" = none ] || { echo "$score" > /proc/self/oom_score_adj; } 2>/dev/null || :
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
