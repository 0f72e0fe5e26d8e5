/**
 * Directories that tools can regenerate from tracked files. `dist` and `build` are left out: people keep their own files
 * there.
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
