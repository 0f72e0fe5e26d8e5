import { displayPath } from '../byte-path.js';
import type { Git, GitOptions } from '../git.js';

/**
 * Variables that keep git from running the filters of the user's configuration, for queries that content alone can answer, or
 * for files with untrusted attributes.
 */
export async function withoutFilterPrograms(git: Git, place: GitOptions): Promise<Record<string, string>> {
  const pattern = '^filter\\..*\\.(clean|smudge|process|required)$';
  const query = ['config', '--null', '--name-only', '--get-regexp', pattern];
  const keys = [...new Set(await git.records(query, { ...place, answers: [0, 1] }))];
  const settings = keys.flatMap((key, at) => [
    [`GIT_CONFIG_KEY_${at}`, displayPath(key)],
    [`GIT_CONFIG_VALUE_${at}`, key.endsWith('.required') ? 'false' : ''],
  ]);
  return Object.fromEntries([['GIT_CONFIG_COUNT', String(keys.length)], ...settings]);
}
