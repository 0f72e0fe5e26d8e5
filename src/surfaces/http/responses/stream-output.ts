import { carrelError } from '../../../domain/error/error.js';
import type { WriteOutput } from '../../../git/diff/write-output.js';

/** The most that waits for the client, plus one piece; the writer waits meanwhile. */
const MOST_WAITING_BYTES = 1024 ** 2;

/**
 * The output of `produce`, at the pace of the client. Waits for the first byte, so that a failure before it becomes an
 * error answer; a later failure can only break the answer off.
 */
export async function streamOutput(
  produce: (write: WriteOutput) => Promise<unknown>,
): Promise<ReadableStream<Uint8Array>> {
  const output = createOutput();
  const producing = produce(output.write).then(output.close);
  await Promise.race([output.begun, producing]);
  producing.catch(output.fail);
  return output.stream;
}

interface Output {
  readonly stream: ReadableStream<Uint8Array>;
  /** Resolved with the first byte. */
  readonly begun: Promise<void>;
  /** Rejects when the client is gone, so that the writer stops. */
  write(chunk: Buffer): Promise<void>;
  close(): void;
  fail(error: unknown): void;
}

/** After the end, calls have no effect. */
function createOutput(): Output {
  let controller!: ReadableStreamDefaultController<Uint8Array>;
  let isOver = false;
  let begin: () => void = () => undefined;
  const waiting: (() => void)[] = [];
  const wake = () => {
    for (const resolve of waiting.splice(0)) resolve();
  };
  const end = (action: () => void) => {
    if (!isOver) action();
    isOver = true;
    wake();
  };
  const source = {
    start: (given: ReadableStreamDefaultController<Uint8Array>) => {
      controller = given;
    },
    pull: wake,
    cancel: () => end(() => undefined),
  };
  return {
    stream: new ReadableStream(source, new ByteLengthQueuingStrategy({ highWaterMark: MOST_WAITING_BYTES })),
    begun: new Promise(resolve => {
      begin = resolve;
    }),
    write: async chunk => {
      begin();
      if (!isOver) controller.enqueue(chunk);
      while (!isOver && (controller.desiredSize ?? 0) <= 0)
        await new Promise<void>(resolve => void waiting.push(resolve));
      if (isOver) throw carrelError('INTERNAL', { problem: 'the client is gone' });
    },
    close: () => end(() => controller.close()),
    fail: error => end(() => controller.error(error)),
  };
}
