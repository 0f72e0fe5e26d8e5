import type { Readable } from 'node:stream';
import type { CommandResult } from '../../domain/command/command.js';
import type { RunRequest } from '../run-process.js';
import type { Child } from './start-child.js';

const DEFAULT_MAX_OUTPUT_BYTES = 64 * 1024 ** 2;

export interface CapturedOutput {
  take(): Pick<CommandResult, 'stdout' | 'stderr' | 'truncated'>;
  /** Pending until the callback has processed the last chunk; undefined when it has. */
  taking(): Promise<unknown> | undefined;
}

/**
 * Keeps the first bytes of each stream and keeps reading: a child must neither be blocked by a full pipe nor fill our memory.
 * `fail` gets what a callback throws, which would otherwise crash our process.
 */
export function captureOutput(
  child: Child,
  request: RunRequest,
  fail: (error: unknown) => void,
): CapturedOutput {
  const limit = request.maxOutputBytes ?? DEFAULT_MAX_OUTPUT_BYTES;
  const pauses = createPauses(fail);
  const capture = (name: 'stdout' | 'stderr', stream: Readable | null): Capped => {
    const kept = createCapped(limit);
    stream?.on('error', fail);
    stream?.on('data', (chunk: Buffer) => {
      kept.add(chunk);
      try {
        const taking = request.onOutput?.(name, chunk);
        if (taking) pauses.pauseUntil(stream, taking);
      } catch (error) {
        fail(error);
      }
    });
    return kept;
  };
  const stdout = capture('stdout', request.join ? null : child.stdout);
  const stderr = capture('stderr', child.stderr);
  return {
    taking: pauses.taking,
    take: () => ({
      stdout: stdout.bytes(),
      stderr: stderr.bytes(),
      truncated: stdout.isTruncated() || stderr.isTruncated(),
    }),
  };
}

interface Pauses {
  /**
   * Continues when the chunk is processed, and also when it never will be: then the tree is killed, and its output is
   * dropped.
   */
  pauseUntil(stream: Readable, taking: Promise<void>): void;
  taking(): Promise<unknown> | undefined;
}

function createPauses(fail: (error: unknown) => void): Pauses {
  const underWay = new Map<Readable, Promise<void>>();
  return {
    pauseUntil(stream, taking) {
      stream.pause();
      // When a child exits, Node resumes all of its streams.
      const pauseAgain = () => void stream.pause();
      stream.on('resume', pauseAgain);
      const taken = taking.catch(fail).finally(() => {
        underWay.delete(stream);
        stream.off('resume', pauseAgain);
        stream.resume();
      });
      underWay.set(stream, taken);
    },
    taking: () => (underWay.size > 0 ? Promise.all(underWay.values()) : undefined),
  };
}

interface Capped {
  add(chunk: Buffer): void;
  bytes(): Buffer;
  isTruncated(): boolean;
}

function createCapped(limit: number): Capped {
  const chunks: Buffer[] = [];
  let size = 0;
  let truncated = false;
  return {
    add(chunk) {
      const room = limit - size;
      truncated ||= chunk.length > room;
      if (room <= 0) return;
      chunks.push(chunk.subarray(0, room));
      size += Math.min(chunk.length, room);
    },
    bytes: () => Buffer.concat(chunks, size),
    isTruncated: () => truncated,
  };
}
