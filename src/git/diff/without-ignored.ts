import { type BytePath, toBytes } from '../byte-path.js';
import type { Git, GitOptions } from '../git.js';

/** Those of the paths that are not ignored. git need not be able to read them. */
export async function withoutIgnored(
  git: Git,
  index: GitOptions,
  paths: readonly BytePath[],
): Promise<BytePath[]> {
  if (paths.length === 0) return [];
  // The command refuses literal pathspecs, and would find magic in a name such as `:(glob)`; behind `./` there is none.
  const { stdout } = await git.run(['check-ignore', '-z', '--stdin'], {
    ...index,
    env: { GIT_LITERAL_PATHSPECS: '0' },
    stdin: toBytes(paths.map(path => `./${path}\0`).join('')),
    // 1: none is.
    answers: [0, 1],
  });
  const ignored = new Set(stdout.toString('latin1').split('\0'));
  return paths.filter(path => !ignored.has(`./${path}`));
}
