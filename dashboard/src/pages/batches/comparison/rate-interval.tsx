import type { Interval } from '../../../../../src/domain/batch/comparison.js';
import { formatShare } from '../../../components/text/amounts.js';

/** A rate with its interval, as a drawing and as text. */
export function RateInterval({
  rate,
  interval,
}: {
  readonly rate: number | null;
  readonly interval: Interval | null;
}) {
  if (rate === null || interval === null) return 'none graded';
  const { low, high } = interval;
  return (
    <span className="interval">
      <strong>{formatShare(rate)}</strong>
      <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
        <rect className="chart-track" width="100" height="10" />
        <rect className="interval-range" x={100 * low} width={100 * (high - low)} height="10" />
        <rect className="interval-rate" x={Math.min(98, 100 * rate)} width="2" height="10" />
      </svg>
      {formatShare(low)} to {formatShare(high)}
    </span>
  );
}
