import { carrelError } from '../domain/error.js';
import type { WriteOutput } from '../git/write-output.js';

/** What waits for the client at most, beside one more piece; who writes waits meanwhile. */
const MOST_WAITING_BYTES = 1024 ** 2;

/**
 * What `produce` writes, as fast as the client takes it. It is awaited until there is something to send, so that a failure
 * before that is an answer of its own; one after that can only break the answer off.
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
  /** Rejects once the client has gone, so that whoever writes comes to an end. */
  write(chunk: Buffer): Promise<void>;
  close(): void;
  fail(error: unknown): void;
}

/** Once it is over, for whatever reason, nothing that is done with it has an effect. */
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
      if (isOver) throw carrelError('INTERNAL', { problem: 'the client has gone' });
    },
    close: () => end(() => controller.close()),
    fail: error => end(() => controller.error(error)),
  };
}
