export type DiffFormat = 'patch' | 'stat' | 'name-only';

/** For `separateRaw`: the list of changes, then the output. */
export const rawAndOutput = (format: DiffFormat): readonly string[] => [
  ...['--raw', '-z'],
  // Names are taken from the list.
  ...(format === 'name-only' ? STABLE : diffArguments(format)),
];

/** Arguments for git's diff plumbing that give the same output whatever the user's configuration says about diffs. */
export function diffArguments(format: DiffFormat): readonly string[] {
  return [...FORMATS[format], ...STABLE];
}

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
