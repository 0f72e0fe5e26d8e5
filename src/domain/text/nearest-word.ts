/** The known word that was probably meant, by edit distance; undefined when nothing is near. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  // Less than the whole word may differ, or every short name would be "near" every other.
  const limit = Math.min(Math.max(2, Math.floor(word.length / 3)), word.length - 1);
  let best: { word: string; distance: number } | undefined;
  for (const candidate of known) {
    if (Math.abs(word.length - candidate.length) > limit) continue;
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance <= limit && (!best || distance < best.distance)) best = { word: candidate, distance };
  }
  return best?.word;
}

function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = (previous[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      current.push(Math.min(substitution, (previous[j] as number) + 1, (current[j - 1] as number) + 1));
    }
    previous = current;
  }
  return previous[b.length] as number;
}
