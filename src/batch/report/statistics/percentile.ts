/** Linear interpolation between the two nearest values, as in most tools; null without values. */
export function percentile(values: readonly number[], fraction: number): number | null {
  return percentileOfSorted(Float64Array.from(values).sort(), fraction);
}

export const median = (values: readonly number[]): number | null => percentile(values, 0.5);

export function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

export function percentileOfSorted(sorted: Float64Array, fraction: number): number | null {
  const position = (sorted.length - 1) * fraction;
  const below = sorted[Math.floor(position)];
  const above = sorted[Math.ceil(position)];
  if (below === undefined || above === undefined) return null;
  return below + (above - below) * (position - Math.floor(position));
}
