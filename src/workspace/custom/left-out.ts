import { readdir } from 'node:fs/promises';
import { type BytePath, displayPath } from '../../git/byte-path.js';
import type { CreateHooks } from '../backend.js';

type LeaveOut = NonNullable<CreateHooks['leaveOut']>;

/**
 * Checks afterwards that a backend left out what it had to. Each path is asked about once, because the answers are also
 * counted for the user.
 */
export function watchLeftOut(leaveOut: LeaveOut | undefined): {
  readonly leaveOut: LeaveOut | undefined;
  /** The first path below the directory that had to be left out. */
  findCopied(directory: string): Promise<string | undefined>;
} {
  if (!leaveOut) return { leaveOut, findCopied: async () => undefined };
  const answers = new Map<BytePath, boolean>();
  const decide: LeaveOut = (path, isDirectory) => {
    const known = answers.get(path);
    if (known !== undefined) return known;
    const answer = leaveOut(path, isDirectory);
    answers.set(path, answer);
    return answer;
  };
  return { leaveOut: decide, findCopied: directory => findFirst(directory, '', decide) };
}

async function findFirst(root: string, below: BytePath, decide: LeaveOut): Promise<string | undefined> {
  const directory = Buffer.concat([Buffer.from(`${root}/`), Buffer.from(below, 'latin1')]);
  for (const entry of await readdir(directory, { withFileTypes: true, encoding: 'buffer' })) {
    const path = `${below}${entry.name.toString('latin1')}`;
    if (decide(path, entry.isDirectory())) return displayPath(path);
    const found = entry.isDirectory() ? await findFirst(root, `${path}/`, decide) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}
