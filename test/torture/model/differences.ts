import type { GitObservation, Observation } from './observation.js';

export interface Tolerance {
  /** Files that need not be there, with all that is below them. */
  readonly absent?: readonly string[];
  /** Files that may be there, or be otherwise. */
  readonly changed?: readonly string[];
  /** Whether what git says does not count. */
  readonly isFilesOnly?: boolean;
}

/** One line for each difference: empty when everything that should be there is, to the byte, and nothing else. */
export function findDifferences(
  expected: Observation,
  found: Observation,
  allowed: Tolerance = {},
): string[] {
  const { absent = [], changed = [], isFilesOnly = false } = allowed;
  const names = [...new Set([...Object.keys(expected.files), ...Object.keys(found.files)])].sort();
  const files = names.flatMap(name => {
    const [before, after] = [expected.files[name], found.files[name]];
    if (before === after || isBelow(name, changed)) return [];
    if (after === undefined) return isBelow(name, absent) ? [] : [`missing: ${show(name)} (${before})`];
    if (before === undefined) return [`not expected: ${show(name)} (${after})`];
    return [`changed: ${show(name)} is ${after}, expected ${before}`];
  });
  const isAsked = expected.git && found.git && !isFilesOnly;
  return isAsked ? [...files, ...compareGit(expected.git, found.git, absent)] : files;
}

/** Not what `git status` says: that follows from these, but for edits that git does not see, until it does. */
function compareGit(expected: GitObservation, found: GitObservation, absent: readonly string[]): string[] {
  const isListed = (line: string) => !absent.some(path => line.includes(path));
  const compare = (what: string, before: readonly string[], after: readonly string[]) => {
    const [was, is] = [before.filter(isListed), after.filter(isListed)];
    return [
      ...was.filter(line => !is.includes(line)).map(line => `${what} lacks: ${line}`),
      ...is.filter(line => !was.includes(line)).map(line => `${what} has, and should not: ${line}`),
    ];
  };
  return [
    ...(expected.head === found.head ? [] : [`HEAD is ${found.head}, expected ${expected.head}`]),
    ...compare('the index', expected.index, found.index),
    ...compare('the operation in progress', expected.inProgress, found.inProgress),
  ];
}

const isBelow = (name: string, paths: readonly string[]): boolean =>
  paths.some(path => name === path || name.startsWith(`${path}/`));

const show = (name: string): string => JSON.stringify(Buffer.from(name, 'latin1').toString('utf8'));
