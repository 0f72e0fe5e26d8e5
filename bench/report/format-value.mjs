/** Short and with the unit that fits. */
export function formatValue(value, unit) {
  if (unit === 'ms') return formatDuration(value);
  if (unit === 'bytes') return formatBytes(value);
  return String(Math.round(value * 10) / 10);
}

export function formatDuration(ms) {
  if (ms >= 10_000) return `${(ms / 1000).toFixed(1)} s`;
  if (ms >= 1000) return `${(ms / 1000).toFixed(2)} s`;
  return `${ms.toFixed(ms < 10 ? 1 : 0)} ms`;
}

function formatBytes(bytes) {
  const units = ['B', 'KB', 'MB', 'GB'];
  const step = Math.min(
    units.length - 1,
    Math.max(0, Math.floor(Math.log10(Math.max(1, Math.abs(bytes))) / 3)),
  );
  const scaled = bytes / 1000 ** step;
  return `${scaled.toFixed(scaled < 10 && step > 0 ? 1 : 0)} ${units[step]}`;
}

export const formatRatio = ratio => `${ratio < 0.1 ? ratio.toPrecision(2) : ratio.toFixed(2)}x`;
