export type DiffFormat = 'patch' | 'stat' | 'name-only';

/** Arguments for git's diff plumbing that give the same output whatever the user's configuration says about diffs. */
export function diffArguments(format: DiffFormat): readonly string[] {
  return [...FORMATS[format], ...STABLE];
}

/** For the paths of all added or changed files, separated by NUL. */
export const changedPathsArguments = ['--name-only', '-z', '--no-renames', '--diff-filter=d'] as const;

const FORMATS = {
  patch: ['--patch', '--binary', '--full-index'],
  stat: ['--stat', '--summary'],
  'name-only': ['--name-only'],
} as const;

const STABLE = [
  '--find-renames',
  '--no-ext-diff',
  '--no-textconv',
  '--no-color',
  '--no-relative',
  '--src-prefix=a/',
  '--dst-prefix=b/',
  '--diff-algorithm=myers',
  '--submodule=short',
  '--ignore-submodules=none',
];
