import type { Git, GitOptions } from '../git.js';

/**
 * Whether two commits have different `.gitattributes`. git then writes only the files whose content differs, although
 * others may need a different conversion.
 */
export async function haveOtherAttributes(
  git: Git,
  place: GitOptions,
  from: string,
  to: string,
): Promise<boolean> {
  const query = ['diff-tree', '-r', '--no-renames', '--name-only', '-z', from, to];
  const env = { ...place.env, GIT_LITERAL_PATHSPECS: '0' };
  const paths = await git.records([...query, '--', ':(glob)**/.gitattributes'], { ...place, env });
  return paths.length > 0;
}
