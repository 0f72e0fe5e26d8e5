import { countOf } from '../count-of.js';
import { median } from '../statistics/percentile.js';
import { html, type Markup } from './markup.js';

const BINS = 24;
const WIDTH = 480;
const HEIGHT = 150;
/** Below the bars, for the axis and its labels. */
const FOOT = 20;

/** A histogram: bars of equal width from zero to the largest value, with the median marked. */
export function histogram(
  title: string,
  values: readonly number[],
  format: (value: number) => string,
): Markup {
  const largest = values.reduce((most, value) => Math.max(most, value), 0);
  const middle = median(values) ?? 0;
  const bins = countBins(values, largest);
  const top = Math.max(...bins);
  const label = `${title}: ${countOf(values.length, 'attempt')} up to ${format(largest)}, median ${format(middle)}`;
  const medianX = (largest > 0 ? (middle / largest) * WIDTH : 0).toFixed(1);
  return html`
    <figure>
      <svg viewBox="0 0 ${WIDTH} ${HEIGHT + FOOT}" role="img" aria-label="${label}">
        ${bins.map((count, index) => drawBin(count, index, { largest, top, format }))}
        <line class="axis" x1="0" x2="${WIDTH}" y1="${HEIGHT}" y2="${HEIGHT}"/>
        <line class="median" x1="${medianX}" x2="${medianX}" y1="0" y2="${HEIGHT}"/>
        <text x="0" y="${HEIGHT + 15}">${format(0)}</text>
        <text x="${WIDTH}" y="${HEIGHT + 15}" text-anchor="end">${format(largest)}</text>
      </svg>
      <figcaption>${title}; median ${format(middle)}, highest bar ${countOf(top, 'attempt')}</figcaption>
    </figure>`;
}

function countBins(values: readonly number[], largest: number): readonly number[] {
  const bins = new Array<number>(BINS).fill(0);
  for (const value of values) {
    const index = largest > 0 ? Math.min(BINS - 1, Math.max(0, Math.floor((value / largest) * BINS))) : 0;
    bins[index] = (bins[index] ?? 0) + 1;
  }
  return bins;
}

interface Scale {
  /** The largest value. */
  readonly largest: number;
  /** How many are in the fullest bin. */
  readonly top: number;
  readonly format: (value: number) => string;
}

function drawBin(count: number, index: number, { largest, top, format }: Scale): Markup {
  if (count === 0) return html``;
  const width = WIDTH / BINS;
  const height = Math.max(1, (count / top) * (HEIGHT - 10));
  const [x, y] = [(index * width + 1).toFixed(1), (HEIGHT - height).toFixed(1)];
  const range = `${format((index / BINS) * largest)} to ${format(((index + 1) / BINS) * largest)}`;
  return html`
    <rect class="bar" x="${x}" y="${y}" width="${(width - 2).toFixed(1)}" height="${height.toFixed(1)}">
      <title>${count}: ${range}</title>
    </rect>`;
}
