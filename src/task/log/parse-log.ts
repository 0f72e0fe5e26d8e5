import type { ProcessIdentity } from '../../domain/process-identity.js';
import type { LogLine } from '../../domain/task/log-line.js';
import type { WriterLine } from './writer-line.js';

/** More than any line that is written: 64 Ki characters, of which each may take six bytes. */
const MOST_BYTES = 1024 ** 2;
const LINE_BREAK = 0x0a;

/** Parses the bytes of a log into lines, in chunks of any size. Invalid lines are skipped. */
export interface LogParser {
  add(chunk: Buffer): LogLine[];
  /** Parses the bytes after the last line break; the next byte starts another line. */
  finish(): LogLine[];
  /** The process that started to write and has not finished. */
  writer(): ProcessIdentity | null;
}

export function createLogParser(): LogParser {
  let begun: Buffer[] = [];
  let begunBytes = 0;
  let writer: ProcessIdentity | null = null;
  const keep = (piece: Buffer): void => {
    begunBytes += piece.length;
    // Copied, because its buffer is reused.
    if (begunBytes <= MOST_BYTES) begun.push(Buffer.from(piece));
  };
  const finish = (): LogLine[] => {
    const record = begunBytes > MOST_BYTES ? undefined : parseRecord(Buffer.concat(begun).toString('utf8'));
    begun = [];
    begunBytes = 0;
    if (isWriterLine(record)) writer = record.writer;
    return isLogLine(record) ? [record] : [];
  };
  return {
    finish,
    writer: () => writer,
    add(chunk) {
      const lines: LogLine[] = [];
      let from = 0;
      for (let end = chunk.indexOf(LINE_BREAK); end !== -1; end = chunk.indexOf(LINE_BREAK, from)) {
        keep(chunk.subarray(from, end));
        lines.push(...finish());
        from = end + 1;
      }
      keep(chunk.subarray(from));
      return lines;
    },
  };
}

function parseRecord(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isLogLine = (record: unknown): record is LogLine =>
  has(record, 'text', 'string') && has(record, 'stream', 'string') && has(record, 'at', 'string');

const isWriterLine = (record: unknown): record is WriterLine =>
  has(record, 'writer', 'object') &&
  (record.writer === null || (has(record.writer, 'pid', 'number') && has(record.writer, 'realm', 'string')));

const has = <Key extends string>(
  record: unknown,
  key: Key,
  type: 'string' | 'number' | 'object',
): record is Record<Key, unknown> =>
  typeof record === 'object' && record !== null && typeof (record as Record<Key, unknown>)[key] === type;
