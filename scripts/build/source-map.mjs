// The maps that ship: one entry for each run of code that comes from the same line of src/. Columns, names, the text of
// the sources and positions inside bundled packages would make them eight times as large; a stack trace needs the line.
import { decode, encode } from '@jridgewell/sourcemap-codec';

/** `shift` gives the column that a column of a line has after the bundle was changed, from left to right. */
export function keepLines({ sources, mappings }, { linesBefore = 0, shift = () => column => column } = {}) {
  const isOurs = sources.map(source => !source.includes('node_modules'));
  const lines = decode(mappings).map((segments, line) => thinOut(segments, isOurs, shift(line)));
  return JSON.stringify({
    version: 3,
    sources: sources.map((source, index) => (isOurs[index] ? source : '')),
    names: [],
    // Node misreads an entry without a source at the very end.
    mappings: `${';'.repeat(linesBefore)}${encode(lines)};`,
  });
}

function thinOut(segments, isOurs, shift) {
  let last = '';
  return segments.flatMap(([column, source, line]) => {
    const shifted = shift(column);
    const ours = source !== undefined && isOurs[source];
    const place = ours ? `${source}:${line}` : 'elsewhere';
    if (place === last) return [];
    last = place;
    return [ours ? [shifted, source, line, 0] : [shifted]];
  });
}
