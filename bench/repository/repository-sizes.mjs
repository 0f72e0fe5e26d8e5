/** The repositories of the issue. `changesPerCommit` files differ between neighbours in the history. */
export const repositorySizes = {
  S: { files: 150, bytes: 600_000, commits: 50, changesPerCommit: 10, ignoredFiles: 0 },
  M: { files: 10_000, bytes: 150_000_000, commits: 500, changesPerCommit: 10, ignoredFiles: 0 },
  L: { files: 80_000, bytes: 1_000_000_000, commits: 500, changesPerCommit: 10, ignoredFiles: 0 },
  'M+ignored': {
    files: 10_000,
    bytes: 150_000_000,
    commits: 500,
    changesPerCommit: 10,
    ignoredFiles: 40_000,
  },
};
