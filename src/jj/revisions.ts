import { isCarrelError } from '../domain/error/error.js';
import type { Jj } from './jj.js';

/** The single commit of a revset; undefined when it has none or several, or is not a revset. */
export async function resolveRevision(jj: Jj, root: string, revset: string): Promise<string | undefined> {
  const query = ['log', '--no-graph', '--limit', '2', '--template', 'commit_id ++ "\\n"'];
  try {
    const text = await jj.text([...query, `--revisions=${revset}`], { workspace: root });
    const [commit, ...more] = text.split('\n').filter(Boolean);
    return more.length === 0 ? commit : undefined;
  } catch (error) {
    // jj exits with 1 for a revset that it can't resolve or parse.
    if (isCarrelError(error, 'JJ_FAILED') && error.details.exitCode === 1) return undefined;
    throw error;
  }
}

/** Whether jj has imported a commit; it has not for commits that git created since the last import. */
export const knowsCommit = async (jj: Jj, root: string, commit: string): Promise<boolean> =>
  (await resolveRevision(jj, root, commit)) !== undefined;
