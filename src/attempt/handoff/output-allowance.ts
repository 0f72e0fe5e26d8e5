import { formatSize } from '../../domain/text/format-quantity.js';
import { isPlainPath } from './plain-path.js';

/** Outputs are notes for the next stage: larger results belong in commits. */
export const OUTPUT_LIMITS = {
  files: 64,
  bytesOfFile: 4 * 1024 ** 2,
  bytesOfAll: 16 * 1024 ** 2,
  /** Depth of nested directories. */
  depth: 8,
  /** Files that are named in warnings. */
  told: 16,
} as const;

/** Counts the outputs of an agent. */
export interface OutputAllowance {
  /** True when a file may be kept, which counts it; otherwise the reason is added to the warnings. */
  admit(path: string, bytes: number): boolean;
  refuse(path: string, reason: string): void;
  warnings(): string[];
}

export function createOutputAllowance(): OutputAllowance {
  let files = 0;
  let bytesOfAll = 0;
  let refused = 0;
  const warnings: string[] = [];
  const refuse = (path: string, reason: string): void => {
    refused++;
    if (warnings.length < OUTPUT_LIMITS.told)
      warnings.push(`the output ${JSON.stringify(path)} was left out: ${reason}`);
  };
  return {
    refuse,
    admit(path, bytes) {
      const reason = findReason(path, bytes, { files, bytesOfAll });
      if (reason) refuse(path, reason);
      else {
        files++;
        bytesOfAll += bytes;
      }
      return reason === undefined;
    },
    warnings: () => {
      const more = refused - warnings.length;
      return more > 0
        ? [...warnings, `${more} more ${more === 1 ? 'output was' : 'outputs were'} left out`]
        : warnings;
    },
  };
}

function findReason(
  path: string,
  bytes: number,
  taken: { readonly files: number; readonly bytesOfAll: number },
): string | undefined {
  const { files, bytesOfFile, bytesOfAll } = OUTPUT_LIMITS;
  if (!isPlainPath(path)) return 'its name is not plain text';
  if (bytes > bytesOfFile)
    return `it is too large: ${formatSize(bytes)}; expected at most ${formatSize(bytesOfFile)}`;
  if (taken.files >= files) return `at most ${files} files are kept`;
  if (taken.bytesOfAll + bytes > bytesOfAll) return `at most ${formatSize(bytesOfAll)} are kept in total`;
  return undefined;
}
