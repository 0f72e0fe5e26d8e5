import type { BytePath } from '../byte-path.js';
import type { Git, GitPlace } from '../git.js';
import { findIdentityVariables } from './commit-identity.js';
import { mergeTrees } from './merge.js';

export type Replayed =
  | { readonly tip: string; readonly conflicts?: undefined }
  | { readonly conflicts: readonly BytePath[]; readonly at: string };

/**
 * Cherry-picks commits, oldest first, onto a commit, in the object database only. Author, message and their encoding stay
 * byte for byte; a commit that becomes empty is dropped, one that was empty from the start is kept.
 */
export async function replayCommits(
  git: Git,
  place: GitPlace,
  onto: string,
  commits: readonly string[],
): Promise<Replayed> {
  const committer = await readCommitter(git, place);
  let tip = onto;
  for (const id of commits) {
    const original = await readCommit(git, place, id);
    const base = original.parent ?? (await emptyTree(git, place));
    const merged = await mergeTrees(git, place, tip, id, base);
    if (merged.conflicts.length > 0) return { conflicts: merged.conflicts, at: id };
    const [before, baseTree] = await readTrees(git, place, [tip, base]);
    if (merged.tree === before && original.tree !== baseTree) continue;
    tip = await writeCommit(git, place, { ...original, tree: merged.tree, parent: tip }, committer);
  }
  return { tip };
}

/** `Name <email> seconds zone`, as in a commit; a byte string. */
async function readCommitter(git: Git, place: GitPlace): Promise<string> {
  const env = await findIdentityVariables(git, place);
  const result = await git.run(['var', 'GIT_COMMITTER_IDENT'], { ...place, env });
  return result.stdout.toString('latin1').trimEnd();
}

/** Byte strings throughout: names and messages may be in any encoding. */
interface RawCommit {
  readonly tree: string;
  readonly parent: string | undefined;
  readonly author: string;
  readonly encoding: string | undefined;
  readonly message: string;
}

async function readCommit(git: Git, place: GitPlace, id: string): Promise<RawCommit> {
  const text = (await git.run(['cat-file', 'commit', id], place)).stdout.toString('latin1');
  const end = text.indexOf('\n\n');
  const headers = text.slice(0, end).split('\n');
  const value = (key: string) => headers.find(line => line.startsWith(`${key} `))?.slice(key.length + 1);
  return {
    tree: value('tree') ?? '',
    parent: value('parent'),
    author: value('author') ?? '',
    encoding: value('encoding'),
    message: text.slice(end + 2),
  };
}

/** Written as an object rather than by `commit-tree`, which refuses authors that other tools accept. */
async function writeCommit(git: Git, place: GitPlace, commit: RawCommit, committer: string): Promise<string> {
  const headers = [
    `tree ${commit.tree}`,
    `parent ${commit.parent}`,
    `author ${commit.author}`,
    `committer ${committer}`,
    ...(commit.encoding ? [`encoding ${commit.encoding}`] : []),
  ];
  const stdin = Buffer.from(`${headers.join('\n')}\n\n${commit.message}`, 'latin1');
  return git.text(['hash-object', '-t', 'commit', '-w', '--stdin'], { ...place, stdin });
}

async function readTrees(git: Git, place: GitPlace, names: readonly string[]): Promise<string[]> {
  return (await git.text(['rev-parse', ...names.map(name => `${name}^{tree}`)], place)).split('\n');
}

/** Its id depends on the repository's hash function. */
const emptyTree = (git: Git, place: GitPlace): Promise<string> =>
  git.text(['hash-object', '-t', 'tree', '-w', '--stdin'], { ...place, stdin: '' });
