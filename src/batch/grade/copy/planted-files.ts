import type { GradingBench } from '../grading-context.js';
import type { RestoredFiles } from './hidden-files.js';

/**
 * Everything but directories in the places that the item protects, listed by a script: git's answer depends on a
 * repository that the tested code can write, and find(1) is not on every machine.
 */
export async function listPresent({
  environment,
  item: { protect = [] },
  signal,
}: GradingBench): Promise<string[]> {
  if (protect.length === 0) return [];
  const places = protect.map(path => `./${path.replace(/\/+$/, '')}`);
  const command = ['sh', '-c', LIST_SCRIPT, 'sh', ...places];
  const { stdout } = await environment.run({ command, timeoutMs: LIMIT_MS, signal });
  return stdout
    .toString('utf8')
    .split('\0')
    .filter(Boolean)
    .map(path => path.replace(/^\.\//, ''));
}

/** A link is listed and not followed. The names of a call are in "$@"; `entry` is not used after a recursive call. */
const LIST_SCRIPT = String.raw`
list() {
  for entry do
    case $entry in .git | */.git) continue ;; esac
    if [ -L "$entry" ]; then printf '%s\0' "$entry"
    elif [ -d "$entry" ]; then list "$entry"/* "$entry"/.[!.]* "$entry"/..?*
    elif [ -e "$entry" ]; then printf '%s\0' "$entry"
    fi
  done
}
list "$@"
`;

const LIMIT_MS = 60_000;

/**
 * Removes files that were added to protected places: a test runner may treat them as a test, as its configuration, or as
 * compiled code. Result files, and files that runners always leave, are not reported.
 */
export async function removePlanted(
  bench: GradingBench,
  present: ReadonlySet<string>,
): Promise<Pick<RestoredFiles, 'planted' | 'lost'>> {
  const findNew = async () => (await listPresent(bench)).filter(path => !present.has(path));
  const planted = await findNew();
  if (planted.length === 0) return { planted, lost: undefined };
  const { environment, signal } = bench;
  for (let at = 0; at < planted.length; at += AT_ONCE) {
    const paths = planted.slice(at, at + AT_ONCE).map(path => `./${path}`);
    await environment.run({ command: ['rm', '-f', '--', ...paths], timeoutMs: LIMIT_MS, signal });
  }
  // For example one whose name is not text, or in a directory that was made read-only.
  const [lost] = await findNew();
  return { planted: planted.filter(path => !isExpected(bench, path)), lost };
}

/** Keeps the names below the size limit of a command line. */
const AT_ONCE = 200;

const isExpected = ({ item: { graders } }: GradingBench, path: string): boolean =>
  BY_PRODUCT.test(path) ||
  graders.some(
    grader =>
      (grader.kind === 'tests' && grader.report === path) ||
      (grader.kind === 'reward' && grader.file === path),
  );

const BY_PRODUCT = /(^|\/)(__pycache__|\.pytest_cache)\//;
