import { summarize } from './statistics.mjs';

/**
 * One figure per row: what was measured, in which repository, with its samples. A row names the contestant that
 * delivers it when the names differ, so that its failure is reported in the right place.
 */
export function toFigures(rows, size, { samples, failures }) {
  return rows.flatMap(row => {
    const base = { unit: 'ms', reference: null, ...row, size };
    const values = samples.get(row.sample ?? row.name);
    if (values) return [{ ...base, samples: values, ...summarize(values) }];
    const failure = failures.get(row.by ?? row.name);
    return failure === undefined ? [] : [{ ...base, samples: [], failure }];
  });
}

/** Adds the ratio to the reference of the same group and size, and the growth from the small repository to the large. */
export function relateFigures(figures) {
  const find = (figure, change) =>
    figures.find(
      other =>
        other.group === (change.group ?? figure.group) &&
        other.name === (change.name ?? figure.name) &&
        other.size === (change.size ?? figure.size) &&
        other.median !== undefined,
    );
  return figures.map(figure => {
    const reference = figure.reference && find(figure, { name: figure.reference });
    const small = figure.size === 'L' && find(figure, { size: 'S' });
    return {
      ...figure,
      ratio: reference && figure.median !== undefined ? figure.median / reference.median : null,
      growth: small && figure.median !== undefined ? figure.median / small.median : null,
    };
  });
}
