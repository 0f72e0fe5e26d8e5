import { formatSize } from '../../domain/text/format-quantity.js';
import type { Collected, CollectedFile } from './handoff.js';
import { createOutputAllowance, OUTPUT_LIMITS } from './output-allowance.js';

/** Parses the output of COLLECT_SCRIPT, which may be anything else. `isWhole` when it ends correctly. */
export function parseBundle(bundle: Buffer): Collected & { readonly isWhole: boolean } {
  const allowance = createOutputAllowance();
  const files: CollectedFile[] = [];
  const reader = createReader(bundle);
  for (let header = reader.line(); header !== undefined; header = reader.line()) {
    if (header === 'end') return { files, warnings: allowance.warnings(), isWhole: true };
    const [, kind, about, path] = /^(file|left) (\S+) (.+)$/s.exec(header) ?? [];
    if (about === undefined || path === undefined) break;
    if (kind === 'left') allowance.refuse(path, REASONS[about] ?? 'it could not be collected');
    else {
      const content = reader.content(about);
      if (!content) break;
      if (allowance.admit(path, content.length)) files.push({ path, content });
    }
  }
  return { files, warnings: allowance.warnings(), isWhole: false };
}

const REASONS: Readonly<Record<string, string>> = {
  irregular: 'it is not a regular file',
  deep: 'it is nested too deep',
  name: 'its name is not plain text',
  unreadable: 'cannot read it',
  large: `it is too large; expected at most ${formatSize(OUTPUT_LIMITS.bytesOfFile)}`,
  many: `at most ${OUTPUT_LIMITS.files} files are kept`,
  full: `at most ${formatSize(OUTPUT_LIMITS.bytesOfAll)} are kept in total`,
  removed: 'the output directory was removed',
};

function createReader(bundle: Buffer) {
  let at = 0;
  return {
    line(): string | undefined {
      const end = bundle.indexOf('\n', at);
      if (end === -1) return undefined;
      const line = bundle.toString('utf8', at, end);
      at = end + 1;
      return line;
    },
    /** That many bytes followed by a line break. */
    content(length: string): Buffer | undefined {
      const end = /^\d{1,9}$/.test(length) ? at + Number(length) : Number.POSITIVE_INFINITY;
      if (bundle[end] !== LINE_BREAK) return undefined;
      const content = bundle.subarray(at, end);
      at = end + 1;
      return content;
    },
  };
}

const LINE_BREAK = 0x0a;
