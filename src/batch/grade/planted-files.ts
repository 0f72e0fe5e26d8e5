import type { GradingBench } from './grading-bench.js';
import type { RestoredFiles } from './hidden-files.js';

/**
 * Everything but directories that is in the places that the item protects, by find(1): what git says of them is up to a
 * repository that the tested code can write.
 */
export async function listPresent({
  environment,
  item: { protect = [] },
  signal,
}: GradingBench): Promise<string[]> {
  if (protect.length === 0) return [];
  const places = protect.map(path => `./${path.replace(/\/+$/, '')}`);
  const command = ['find', ...places, '-name', '.git', '-prune', '-o', '!', '-type', 'd', '-print0'];
  // Of a place that is not there it complains, and goes on.
  const { stdout } = await environment.run({ command, timeoutMs: LIMIT_MS, signal });
  return stdout
    .toString('utf8')
    .split('\0')
    .filter(Boolean)
    .map(path => path.replace(/^\.\//, ''));
}

const LIMIT_MS = 60_000;

/**
 * Removes what was put into protected places since: a test runner may take it for a test, for its configuration, or for
 * a program that was compiled before. What results are written to, and what runners always leave, is not told.
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
  // Such as one whose name is no text, or in a directory that was made read-only.
  const [lost] = await findNew();
  return { planted: planted.filter(path => !isExpected(bench, path)), lost };
}

/** So that their names stay below what a command line may hold. */
const AT_ONCE = 200;

const isExpected = ({ item: { graders } }: GradingBench, path: string): boolean =>
  BY_PRODUCT.test(path) ||
  graders.some(
    grader =>
      (grader.kind === 'tests' && grader.report === path) ||
      (grader.kind === 'reward' && grader.file === path),
  );

const BY_PRODUCT = /(^|\/)(__pycache__|\.pytest_cache)\//;
