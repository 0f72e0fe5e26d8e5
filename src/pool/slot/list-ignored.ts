import type { SlotRecord } from '../../domain/workspace/slot.js';
import { type BytePath, toBytes } from '../../git/byte-path.js';
import type { Git } from '../../git/git.js';
import { gitIn } from './slot-git.js';

/** Those of these directories of a slot that git ignores. */
export async function listIgnored(
  git: Git,
  slot: SlotRecord,
  directories: readonly BytePath[],
): Promise<BytePath[]> {
  if (directories.length === 0) return [];
  // `./` keeps a name that begins with a colon from being more than a name; this command refuses the literal way.
  const stdin = Buffer.concat(directories.map(path => toBytes(`./${path}/\0`)));
  const env = { GIT_LITERAL_PATHSPECS: '0' };
  const options = gitIn(slot.directory, { stdin, env, answers: [0, 1] });
  const ignored = await git.records(['check-ignore', '--no-index', '-z', '--stdin'], options);
  return ignored.map(path => path.slice('./'.length, -'/'.length));
}
