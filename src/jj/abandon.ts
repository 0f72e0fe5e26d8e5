import type { Jj } from './jj.js';

export interface OwnCommits {
  /** The workspace whose work is discarded. */
  readonly name: string;
  /** When it was made: older changes are not its own, since `jj edit` can check out any commit. */
  readonly since: string;
  /** Not only its working-copy commit. */
  readonly withCommits: boolean;
}

/**
 * Abandons commits that only this workspace has: no bookmark, tag or other workspace reaches them, and nothing else is
 * based on them. In jj's operation log they stay, so `jj undo` and their commit ids still work.
 */
export async function abandonOwn(
  jj: Jj,
  root: string,
  { name, since, withCommits }: OwnCommits,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  const own = `${JSON.stringify(name)}@`;
  const others = `::((visible_heads() ~ ${own}) | bookmarks() | remote_bookmarks() | tags() | (working_copies() ~ ${own}))`;
  const range = withCommits ? `::${own}` : own;
  const revset = `(${range}) ~ ${others} ~ ::immutable_heads() ~ (empty() & ${own}) & author_date(after:${JSON.stringify(since)})`;
  const template = 'commit_id ++ " " ++ working_copies.len() ++ "\\n"';
  const query = ['log', '--no-graph', '--revisions', revset, '--template', template];
  const found = (await jj.text(query, { workspace: root })).split('\n').filter(Boolean);
  const commits = found
    .map(line => line.split(' '))
    .map(([id = '', users]) => ({ id, users: Number(users) }));
  // Another workspace is at the same commit.
  if (commits.length === 0 || commits.some(({ users }) => users > 1)) return;
  await jj.run(['abandon', '--', ...commits.map(({ id }) => id)], { workspace: root, env });
}
