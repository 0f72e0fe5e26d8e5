import { formatRatio, formatValue } from './format-value.mjs';
import { groups } from './groups.mjs';

const NAME_WIDTH = 44;
const CELL_WIDTH = 36;
const WIDE_SPREAD = 0.5;

/** One block per group, one line per way, one column per repository. */
export function formatTable(figures, verdicts) {
  const blocks = Object.entries(groups).flatMap(([group, title]) => {
    const own = figures.filter(figure => figure.group === group);
    return own.length === 0 ? [] : [formatBlock(title, own, verdicts)];
  });
  return [...blocks, legend].join('\n\n');
}

const legend = [
  'median (fastest–slowest) ratio to the nearest line above that has none; + target met, ! target missed;',
  '~ spread above 50 % of the median: the machine was too busy for a reliable figure.',
].join('\n');

function formatBlock(title, figures, verdicts) {
  const sizes = [...new Set(figures.map(({ size }) => size))];
  const names = [...new Set(figures.map(({ name }) => name))];
  const head = title.padEnd(NAME_WIDTH) + sizes.map(size => size.padStart(CELL_WIDTH)).join('');
  const hasGrowth = figures.some(({ growth }) => growth !== null);
  const lines = names.map(name => formatLine(name, sizes, figures, verdicts));
  return [hasGrowth ? `${head}     S to L` : head, ...lines, ...formatFailures(figures)].join('\n');
}

/** Each reason once, with all that it stopped. */
function formatFailures(figures) {
  const reasons = new Map();
  for (const { name, size, failure } of figures) {
    if (failure) reasons.set(failure, [...(reasons.get(failure) ?? []), `${name} on ${size}`]);
  }
  return [...reasons].map(([reason, names]) => `  no figure for ${names.join('; ')}: ${reason}`);
}

function formatLine(name, sizes, figures, verdicts) {
  const own = sizes.map(size => figures.find(figure => figure.name === name && figure.size === size));
  const growth = own.find(figure => figure?.growth)?.growth;
  const cells = own.map(figure => `  ${formatCell(figure, verdicts)}`.padStart(CELL_WIDTH)).join('');
  const end = growth ? formatGrowth(growth).padStart(11) : '';
  return `  ${name.padEnd(NAME_WIDTH - 2)}${cells}${end}`.trimEnd();
}

function formatCell(figure, verdicts) {
  if (!figure) return '';
  if (figure.median === undefined) return '-';
  const { unit, median, min, max, samples, spread, ratio, background } = figure;
  const value = formatValue(median, unit);
  if (background !== undefined) return background > 0 ? `${value} (+${background})` : value;
  const range = samples.length > 1 ? ` (${formatRange(min, max, unit)})` : '';
  const restless = unit === 'ms' && spread > WIDE_SPREAD ? '~' : '';
  return `${value}${range}${restless}${ratio === null ? '' : ` ${formatRatio(ratio)}`}${markOf(figure, verdicts)}`;
}

/** The unit stands once, with the median. */
function formatRange(min, max, unit) {
  const bare = value => formatValue(value, unit).replace(/ \D+$/, '');
  const isMixed = unit === 'ms' && min < 1000 !== max < 1000;
  return isMixed ? `${formatValue(min, unit)}–${formatValue(max, unit)}` : `${bare(min)}–${bare(max)}`;
}

const formatGrowth = growth => `${growth < 10 ? growth.toFixed(1) : growth.toFixed(0)}x`;

function markOf({ group, name, size }, verdicts) {
  const own = verdicts.filter(each => each.group === group && each.name === name && each.size === size);
  if (own.some(({ verdict }) => verdict === 'missed')) return ' !';
  return own.some(({ verdict }) => verdict === 'met') ? ' +' : '';
}
