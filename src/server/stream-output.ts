import { carrelError } from '../domain/error.js';

/** What may wait for a client that reads slowly; one that is further behind is cut off. */
const MOST_WAITING_BYTES = 64 * 1024 ** 2;

/**
 * What `produce` writes, as it comes. It is awaited until there is something to send, so that a failure before that is an
 * answer of its own; one after that can only break the answer off.
 */
export async function streamOutput(
  produce: (write: (chunk: Buffer) => void) => Promise<unknown>,
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
  write(chunk: Buffer): void;
  close(): void;
  fail(error: unknown): void;
}

/** Once it is over, for whatever reason, nothing that is done with it has an effect. */
function createOutput(): Output {
  let controller!: ReadableStreamDefaultController<Uint8Array>;
  let isOver = false;
  let begin: () => void = () => undefined;
  const end = (action: () => void) => {
    if (!isOver) action();
    isOver = true;
  };
  const fail = (error: unknown) => end(() => controller.error(error));
  const source = {
    start: (given: ReadableStreamDefaultController<Uint8Array>) => {
      controller = given;
    },
    cancel: () => end(() => undefined),
  };
  return {
    stream: new ReadableStream(source, new ByteLengthQueuingStrategy({ highWaterMark: MOST_WAITING_BYTES })),
    begun: new Promise(resolve => {
      begin = resolve;
    }),
    write: chunk => {
      begin();
      if (isOver) return;
      if ((controller.desiredSize ?? 0) > 0) controller.enqueue(chunk);
      else fail(carrelError('INTERNAL', { problem: 'the client does not read what is sent' }));
    },
    close: () => end(() => controller.close()),
    fail,
  };
}
