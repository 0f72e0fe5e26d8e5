/** `0.8s`, `42s`, `3m 20s`, `1h 02m` */
export function formatTime(ms: number): string {
  if (ms < 9950) return `${(ms / 1000).toFixed(1)}s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m ${twoDigits(seconds % 60)}s`;
  return `${Math.floor(seconds / 3600)}h ${twoDigits(Math.floor((seconds % 3600) / 60))}m`;
}

/** `$0.0042`, `$0.42`, `$12.00`; a dash when unknown. */
export function formatUsd(costUsd: number | null): string {
  if (costUsd === null) return '–';
  return `$${costUsd > 0 && costUsd < 0.01 ? costUsd.toPrecision(2) : costUsd.toFixed(2)}`;
}

/** `67%`; a dash for a rate of nothing. */
export const formatRate = (rate: number | null): string =>
  rate === null ? '–' : `${Math.round(rate * 100)}%`;

export const formatWhole = (count: number): string => count.toLocaleString('en-US');

const twoDigits = (value: number) => String(value).padStart(2, '0');
