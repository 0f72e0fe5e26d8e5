export interface HistogramProperties {
  readonly title: string;
  readonly values: readonly number[];
  readonly format: (value: number) => string;
}

const BINS = 12;

/** The distribution of values as columns, and as text: minimum, median and maximum. */
export function Histogram({ title, values, format }: HistogramProperties) {
  const sorted = values.toSorted((a, b) => a - b);
  const [least = 0] = sorted;
  const most = sorted.at(-1) ?? 0;
  const middle = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const bins = countBins(sorted, least, most);
  const words = `min ${format(least)}, median ${format(middle)}, max ${format(most)}`;
  return (
    <figure className="chart">
      <figcaption>{title}</figcaption>
      <svg
        className="histogram"
        viewBox={`0 0 ${BINS * 10} 100`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${title}: ${words}; ${describeBins(bins, least, most, format)}`}
      >
        <Columns bins={bins} />
      </svg>
      <p className="chart-scale">
        <span>{format(least)}</span>
        <span>median {format(middle)}</span>
        <span>{format(most)}</span>
      </p>
    </figure>
  );
}

function Columns({ bins }: { readonly bins: readonly number[] }) {
  const highest = Math.max(1, ...bins);
  return bins.map((count, index) => {
    const height = (100 * count) / highest;
    return (
      <rect
        // biome-ignore lint/suspicious/noArrayIndexKey: columns have a fixed order.
        key={index}
        className="chart-fill"
        x={index * 10 + 1}
        y={100 - height}
        width="8"
        height={height}
      />
    );
  });
}

function countBins(values: readonly number[], least: number, most: number): readonly number[] {
  const bins = Array.from({ length: BINS }, () => 0);
  const width = (most - least) / BINS;
  for (const value of values) {
    // Equal values go in the middle column.
    const bin = width === 0 ? BINS / 2 : Math.min(BINS - 1, Math.floor((value - least) / width));
    bins[bin] = (bins[bin] ?? 0) + 1;
  }
  return bins;
}

function describeBins(
  bins: readonly number[],
  least: number,
  most: number,
  format: (value: number) => string,
): string {
  const edge = (index: number) => format(least + ((most - least) * index) / BINS);
  return bins
    .flatMap((count, index) => (count === 0 ? [] : [`${count} from ${edge(index)} to ${edge(index + 1)}`]))
    .join(', ');
}
