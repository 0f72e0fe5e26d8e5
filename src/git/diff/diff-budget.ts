import type { BytePath } from '../byte-path.js';

/** How much of a work tree a diff reads; files beyond that are left out and reported. */
interface DiffBudget {
  /** Bytes of one file. */
  readonly fileBytes: number;
  /** Bytes of all of them, which are copied and compressed in the temporary directory. */
  readonly totalBytes: number;
}

/** git itself does not compare larger files by line (core.bigFileThreshold). */
const DIFF_BUDGET: DiffBudget = { fileBytes: 512 * 1024 ** 2, totalBytes: 2 * 1024 ** 3 };

/** Which of the files fit, in their order, and which do not. The small ones come first. */
export function fitIntoDiff(
  paths: readonly BytePath[],
  bytesOf: (path: BytePath) => number,
  { fileBytes, totalBytes }: DiffBudget = DIFF_BUDGET,
): { readonly fitting: BytePath[]; readonly beyond: BytePath[] } {
  let left = totalBytes;
  const beyond = new Set<BytePath>();
  for (const path of [...paths].sort((a, b) => bytesOf(a) - bytesOf(b))) {
    const bytes = bytesOf(path);
    if (bytes > Math.min(left, fileBytes)) beyond.add(path);
    else left -= bytes;
  }
  return { fitting: paths.filter(path => !beyond.has(path)), beyond: [...beyond] };
}
