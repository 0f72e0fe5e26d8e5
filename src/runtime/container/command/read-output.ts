import type { CommandResult } from '../../../domain/command/command.js';
import type { RunRequest } from '../../../exec/run-process.js';
import type { SandboxCommand } from '../../runtime.js';
import { createReportReader, type Reports } from './read-reports.js';

/** The output of a command inside, as from runProcess, without the reports of the script around the command. */
export interface OutputReader {
  /** Undefined when standard error is handed over, and nothing can be reported through it. */
  readonly mark: string | undefined;
  readonly request: Pick<
    RunRequest,
    'stdin' | 'output' | 'handedOver' | 'onOutput' | 'maxOutputBytes' | 'graceMs' | 'onStart'
  >;
  readonly reports: Reports;
  /** When output last arrived, by the clock of `performance`. */
  lastAt(): number;
  finish(result: CommandResult): CommandResult;
}

const DEFAULT_MAX_OUTPUT_BYTES = 64 * 1024 ** 2;

export function createOutputReader(command: SandboxCommand, mark: string): OutputReader {
  const { stdin, output, handedOver, maxOutputBytes = DEFAULT_MAX_OUTPUT_BYTES, graceMs, onStart } = command;
  const isOurs = output !== 'inherit' && !handedOver?.includes('stderr');
  const reader = createReportReader(mark);
  const kept = createKept(maxOutputBytes);
  let lastAt = performance.now();
  const pass = (stream: 'stdout' | 'stderr', chunk: Buffer): void => {
    if (chunk.length > 0) command.onOutput?.(stream, chunk);
  };
  const onOutput = (stream: 'stdout' | 'stderr', chunk: Buffer): void => {
    lastAt = performance.now();
    const own = stream === 'stdout' ? chunk : kept.add(reader.take(chunk));
    pass(stream, own);
  };
  return {
    mark: isOurs ? mark : undefined,
    request: { stdin, output, handedOver, onOutput, maxOutputBytes, graceMs, onStart },
    reports: reader.reports,
    lastAt: () => lastAt,
    finish: result => {
      if (!isOurs) return result;
      pass('stderr', kept.add(reader.rest()));
      const exitCode = reader.reports.exitCode ?? result.exitCode;
      const truncated = kept.isTruncated() || isStdoutCut(result, maxOutputBytes);
      return { ...result, exitCode, stderr: kept.bytes(), truncated };
    },
  };
}

/** The flag covers both streams; on standard error it includes the reports. */
const isStdoutCut = ({ truncated, stdout }: CommandResult, limit: number): boolean =>
  truncated && stdout.length >= limit;

interface Kept {
  /** Returns the chunk. */
  add(chunk: Buffer): Buffer;
  bytes(): Buffer;
  isTruncated(): boolean;
}

function createKept(limit: number): Kept {
  const chunks: Buffer[] = [];
  let room = limit;
  let truncated = false;
  return {
    add(chunk) {
      truncated ||= chunk.length > room;
      const own = chunk.subarray(0, room);
      if (own.length > 0) chunks.push(own);
      room -= own.length;
      return chunk;
    },
    bytes: () => Buffer.concat(chunks),
    isTruncated: () => truncated,
  };
}
