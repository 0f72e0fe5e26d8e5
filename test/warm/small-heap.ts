/**
 * Options of Node for processes that start many others: fork copies the page tables of the memory that a process has
 * (0.03 ms of processor time for each MB, and as much again in the new process), and code that runs a few times is not
 * worth optimizing.
 */
export const SMALL_HEAP = ['--max-semi-space-size=1', '--single-threaded-gc', '--no-opt'] as const;
