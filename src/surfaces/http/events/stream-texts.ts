/**
 * Text at the pace of the client: the next piece is read when the previous one is sent, so that nothing piles up for a
 * slow client. `gone` is aborted when the client disconnects.
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
