import { carrelError } from '../domain/error.js';
import type { Sandbox } from '../runtime/runtime.js';

export interface InitJjRequest {
  readonly workTree: string;
  readonly identity: { readonly name: string; readonly email: string };
  /** Short name of the workspace's branch. */
  readonly branch: string;
  readonly exec: Sandbox['exec'];
}

/** Makes the repository inside, by the jj inside. `missing`: there is none that works. JJ_FAILED */
export async function initJj(request: InitJjRequest): Promise<'made' | 'missing'> {
  const { workTree, branch, exec } = request;
  const { name, email } = request.identity;
  const result = await exec({
    // As TOML, whose strings are JSON's: jj would take a name such as `1` for a number.
    command: ['sh', '-c', INIT, 'carrel', workTree, JSON.stringify(name), JSON.stringify(email), branch],
    timeoutMs: TIME_MS,
    maxOutputBytes: 64 * 1024,
  });
  if (result.exitCode === 0) return 'made';
  if (result.exitCode === NO_PROGRAM) return 'missing';
  const stderr = result.stderr.toString('utf8').slice(-2000);
  throw carrelError('JJ_FAILED', { command: 'jj git init, inside,', exitCode: result.exitCode, stderr });
}

/** As shells say that there is no such program. */
const NO_PROGRAM = 127;

/**
 * jj makes no repository where a `.jj` is, even an empty one (0.46). So it makes it beside, from the same `.git`, and what
 * it made is moved: everything in it is relative. The last thing to come is what jj knows a repository by, so half of
 * it is no repository and is made anew. What was recorded there, that all files are gone, is made good by the first jj
 * command, which looks at the files.
 *
 * What it is told of the user is in the private home, which a restored workspace has anew. The copy of the workspace's branch among the remote ones must not make its commits unchangeable for jj.
 */
const INIT = `made=$(mktemp -d) && cd "$made" || exit 1
jj --version >/dev/null 2>&1 || exit ${NO_PROGRAM}
jj config set --user user.name "$2" && jj config set --user user.email "$3" || exit 1
jj config set --user 'revset-aliases."immutable_heads()"' "builtin_immutable_heads() ~ remote_bookmarks(exact:\\"$4\\")" || exit 1
[ -e "$1/.jj/repo" ] && exit 0
cp "$1/.git" .git && jj git init --colocate . || exit 1
rm -rf "$1/.jj/draft" && cp -R .jj "$1/.jj/draft" && cd "$1/.jj/draft" || exit 1
rm -rf ../working_copy && mv working_copy .gitignore .. && mv repo .. && cd .. && rm -rf draft "$made"`;

const TIME_MS = 60_000;
