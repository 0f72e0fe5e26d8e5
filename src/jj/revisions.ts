import { isCarrelError } from '../domain/error.js';
import type { Jj } from './jj.js';

/** The one commit that a revset stands for; undefined when it is none, several, or no revset at all. */
export async function resolveRevision(jj: Jj, root: string, revset: string): Promise<string | undefined> {
  const query = ['log', '--no-graph', '--limit', '2', '--template', 'commit_id ++ "\\n"'];
  try {
    const text = await jj.text([...query, `--revisions=${revset}`], { workspace: root });
    const [commit, ...more] = text.split('\n').filter(Boolean);
    return more.length === 0 ? commit : undefined;
  } catch (error) {
    // 1 is jj's answer to a revset that it can't resolve or parse.
    if (isCarrelError(error, 'JJ_FAILED') && error.details.exitCode === 1) return undefined;
    throw error;
  }
}

/** Whether jj has taken note of a commit; what git made since its last import it has not. */
export const knowsCommit = async (jj: Jj, root: string, commit: string): Promise<boolean> =>
  (await resolveRevision(jj, root, commit)) !== undefined;
