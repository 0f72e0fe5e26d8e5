/**
 * Text as the client takes it: the next piece is only asked for when the one before is on its way, so that nothing piles
 * up for a client that is slow. `gone` is aborted when the client does not want any more.
 */
export function streamTexts(
  texts: AsyncGenerator<string, void, void>,
  gone: AbortController,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const next = await texts.next();
        if (next.done) controller.close();
        else controller.enqueue(encoder.encode(next.value));
      },
      async cancel() {
        gone.abort();
        await texts.return();
      },
    },
    { highWaterMark: 0 },
  );
}
