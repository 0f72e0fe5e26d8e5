/** `spread` is the distance from the fastest to the slowest, as a part of the median. */
export function summarize(samples) {
  const [middle, least, most] = [median(samples), Math.min(...samples), Math.max(...samples)];
  return { median: middle, min: least, max: most, spread: middle > 0 ? (most - least) / middle : 0 };
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
