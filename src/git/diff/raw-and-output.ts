import type { BytePath } from '../byte-path.js';
import type { DiffFormat } from './diff-arguments.js';
import type { WriteOutput } from './write-output.js';

export interface RawAndOutput {
  /** Takes what git prints; everything after the list is written. */
  readonly read: WriteOutput;
  /** Once all is read: the files that the diff adds or changes; a renamed file by its new name. */
  readonly changed: readonly BytePath[];
}

/**
 * Separates the list of changes that git prints first from the output, so that one process gives both (see `rawAndOutput`).
 * A line of the list is `:100644 100644 <id> <id> M`, NUL, the path, NUL. Names only are written from the list.
 */
export function separateRaw(format: DiffFormat, write: WriteOutput): RawAndOutput {
  const changed: BytePath[] = [];
  let rest = Buffer.alloc(0);
  let isOutput = false;
  const note = ({ status, path }: RawRecord) => {
    if (status !== 'D') changed.push(path);
    return format === 'name-only' ? `${quoteAsGit(path)}\n` : '';
  };
  const read = (chunk: Buffer): ReturnType<WriteOutput> => {
    if (isOutput) return write(chunk);
    const bytes = Buffer.concat([rest, chunk]);
    const { records, length, isComplete } = takeRecords(bytes);
    rest = bytes.subarray(length);
    isOutput = isComplete;
    const written = Buffer.concat([
      Buffer.from(records.map(note).join(''), 'latin1'),
      isComplete ? rest : Buffer.alloc(0),
    ]);
    return written.length > 0 ? write(written) : undefined;
  };
  return { read, changed };
}

interface RawRecord {
  readonly status: string;
  readonly path: BytePath;
}

/** The complete records at the beginning, their length, and whether the list is complete. */
function takeRecords(bytes: Buffer) {
  const records: RawRecord[] = [];
  let at = 0;
  while (bytes[at] === COLON) {
    const headEnd = bytes.indexOf(0, at);
    const status = bytes.toString('latin1', bytes.lastIndexOf(SPACE, headEnd) + 1, headEnd).slice(0, 1);
    let start = headEnd + 1;
    let end = bytes.indexOf(0, start);
    // The old name of a renamed file comes first.
    if (status === 'R' && end !== -1) {
      start = end + 1;
      end = bytes.indexOf(0, start);
    }
    if (headEnd === -1 || end === -1) return { records, length: at, isComplete: false };
    records.push({ status, path: bytes.toString('latin1', start, end) });
    at = end + 1;
  }
  if (at === bytes.length) return { records, length: at, isComplete: false };
  // Before a patch, and not before other formats, there is a NUL.
  return { records, length: bytes[at] === 0 ? at + 1 : at, isComplete: true };
}

const COLON = 0x3a;
const SPACE = 0x20;

/** As git prints names with core.quotePath=false. */
function quoteAsGit(path: BytePath): BytePath {
  const quoted = path.replaceAll(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is quoted
    /[\x00-\x1f\x7f"\\]/g,
    c => `\\${LETTERS[c] ?? c.charCodeAt(0).toString(8).padStart(3, '0')}`,
  );
  return quoted === path ? path : `"${quoted}"`;
}

const LETTERS: Readonly<Record<string, string>> = {
  '\x07': 'a',
  '\b': 'b',
  '\t': 't',
  '\n': 'n',
  '\v': 'v',
  '\f': 'f',
  '\r': 'r',
  '"': '"',
  '\\': '\\',
};
