import { isCarrelError } from '../domain/error/error.js';
import type { Jj } from './jj.js';

/** Commits of a local bookmark: none when there is no such, several when it is in conflict. */
export async function readBookmark(jj: Jj, root: string, name: string): Promise<string[]> {
  const revset = `bookmarks(exact:${JSON.stringify(name)})`;
  const query = ['log', '--no-graph', '--revisions', revset, '--template', 'commit_id ++ "\\n"'];
  return (await jj.text(query, { workspace: root })).split('\n').filter(Boolean);
}

/** Names of the local bookmarks on a commit. */
export async function listBookmarksAt(jj: Jj, root: string, commit: string): Promise<string[]> {
  const template = 'local_bookmarks.map(|bookmark| bookmark.name()).join("\\n")';
  const query = ['log', '--no-graph', '--revisions', commit, '--template', template];
  return (await jj.text(query, { workspace: root })).split('\n').filter(Boolean);
}

/** False when one of that name exists. In a colocated repository jj also writes git's branch. */
export async function createBookmark(jj: Jj, root: string, name: string, commit: string): Promise<boolean> {
  try {
    await jj.run(['bookmark', 'create', `--revision=${commit}`, '--', name], { workspace: root });
    return true;
  } catch (error) {
    if (isCarrelError(error, 'JJ_FAILED') && (await readBookmark(jj, root, name)).length > 0) return false;
    throw error;
  }
}

/** Moves a bookmark to a commit, or creates it. */
export async function setBookmark(jj: Jj, root: string, name: string, commit: string): Promise<void> {
  const command = ['bookmark', 'set', '--allow-backwards', `--revision=${commit}`, '--', name];
  await jj.run(command, { workspace: root });
}

/**
 * Deletes a bookmark that was seen at an operation. A concurrent move loses nothing: jj merges both operations into a
 * conflicted bookmark, which still has the other commit.
 */
export async function deleteBookmark(jj: Jj, root: string, name: string): Promise<void> {
  const pattern = `exact:${JSON.stringify(name)}`;
  await jj.run(['bookmark', 'delete', '--', pattern], { workspace: root });
}

/** Exports bookmarks that only jj knows to git's refs. */
export async function exportBookmarks(jj: Jj, root: string): Promise<void> {
  await jj.run(['git', 'export'], { workspace: root });
}

/**
 * Imports git's refs. Nothing is abandoned, so that no commit is rebased while another process uses it.
 */
export async function importBookmarks(jj: Jj, root: string): Promise<void> {
  await jj.run(['git', 'import'], { workspace: root, config: ['git.abandon-unreachable-commits=false'] });
}
