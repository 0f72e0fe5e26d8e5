import { carrelError } from '../../domain/error/error.js';
import type { Sandbox } from '../../runtime/runtime.js';

export interface InitJjRequest {
  readonly workTree: string;
  readonly identity: { readonly name: string; readonly email: string };
  /** Short name of the workspace's branch. */
  readonly branch: string;
  readonly run: Sandbox['run'];
}

/** Creates the repository with jj inside the sandbox. `missing`: there is no working jj. JJ_FAILED */
export async function initJj(request: InitJjRequest): Promise<'made' | 'missing'> {
  const { workTree, branch, run } = request;
  const { name, email } = request.identity;
  const result = await run({
    // As TOML, whose strings are JSON's: jj would read a name such as `1` as a number.
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
 * jj does not create a repository where a `.jj` exists, even an empty one (0.46). So it is created elsewhere, from the same
 * `.git`, and moved: everything in it is relative. What jj recognizes a repository by is moved last, so a partial one is not
 * a repository and is created again. jj recorded there that all files are gone; the first jj command corrects that.
 *
 * The user's identity is in the private home, which is new in a restored workspace. The copy of the workspace's branch among
 * the remote ones must not make its commits immutable for jj.
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
