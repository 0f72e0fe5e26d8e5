export function formatSize(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${unit === 0 || value >= 10 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

/** Rounded down to one unit, for ages and times. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)}ms`;
  const [unit, size] = (
    [
      ['d', 86_400_000],
      ['h', 3_600_000],
      ['m', 60_000],
      ['s', 1000],
    ] as const
  ).find(([, size]) => ms >= size) as [string, number];
  return `${Math.floor(ms / size)}${unit}`;
}

/** Exact, as a user writes it: `90s`, not `1m`. */
export function formatLimit(ms: number): string {
  const units = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 };
  const [unit, size] = Object.entries(units).find(([, size]) => ms % size === 0) ?? ['ms', 1];
  return `${ms / size}${unit}`;
}
