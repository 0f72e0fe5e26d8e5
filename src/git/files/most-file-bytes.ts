/**
 * Larger files are not put into snapshots: git reads and compresses all of a file, holes included, and a sparse file of a
 * terabyte takes hours. Work with such a file is refused rather than captured in part.
 */
export const MOST_FILE_BYTES = 64 * 1024 ** 3;
