/**
 * Directories that tools make again from what is tracked. `dist` and `build` are not among them: people put things of
 * their own there.
 */
export const regenerable: string[] = [
  'node_modules',
  'target',
  '.venv',
  'venv',
  '__pycache__',
  '.tox',
  '.gradle',
  '.next',
  '.nuxt',
  '.turbo',
  '.parcel-cache',
  '.mypy_cache',
  '.pytest_cache',
  '.ruff_cache',
  'Pods',
];
