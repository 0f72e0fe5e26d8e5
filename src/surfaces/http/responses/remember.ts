/** Shares one answer between calls while it is pending and for a time after that. Failures are not cached. */
export function remember<T>(
  now: () => number,
  milliseconds: number,
  make: () => Promise<T>,
): () => Promise<T> {
  let known: { readonly answer: Promise<T>; madeAt: number | undefined } | undefined;
  return () => {
    const isFresh = known && (known.madeAt === undefined || now() - known.madeAt < milliseconds);
    if (known && isFresh) return known.answer;
    const made = { answer: make(), madeAt: undefined as number | undefined };
    known = made;
    made.answer.then(
      () => {
        made.madeAt = now();
      },
      () => {
        if (known === made) known = undefined;
      },
    );
    return made.answer;
  };
}
