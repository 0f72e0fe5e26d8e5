import type { Git } from '../../git/git.js';

/** A branch or tag of the repository, under the name that it has inside, one character per byte. */
export interface OutsideRef {
  readonly ref: string;
  readonly id: string;
}

/**
 * The repository's branches and tags as visible inside: branches as those of a remote `origin`, so that
 * `git merge origin/main` works and changes inside can't be mistaken for them. Not what Carrel and `git stash`
 * keep. In the order that packed refs have to be in.
 */
export async function listOutsideRefs(git: Git, commonDir: string): Promise<OutsideRef[]> {
  const query = ['for-each-ref', '--format=%(objectname) %(refname)', 'refs/heads', 'refs/tags'];
  const { stdout } = await git.run(query, { gitDir: commonDir });
  return stdout.toString('latin1').split('\n').filter(Boolean).map(parseRef);
}

function parseRef(line: string): OutsideRef {
  const space = line.indexOf(' ');
  const ref = line.slice(space + 1).replace(/^refs\/heads\//, 'refs/remotes/origin/');
  return { id: line.slice(0, space), ref };
}

/** As `packed-refs`. Without peeled tags: a tag whose object is missing need not be read. */
export const formatOutsideRefs = (refs: readonly OutsideRef[]): string =>
  ['# pack-refs with: sorted \n', ...refs.map(({ ref, id }) => `${id} ${ref}\n`)].join('');
