import type { Comparison } from '../../../../../src/domain/batch/comparison.js';
import { PlainTable } from './plain-table.js';
import { letterOf } from './run-name.js';

/** Settings that differ between the runs, and tasks that are left out of the figures. */
export function Differences({ comparison }: { readonly comparison: Comparison }) {
  const { differences, runs, changed, notInAll } = comparison;
  if (differences.length + changed.length + notInAll.length === 0) return null;
  return (
    <section className="card" aria-labelledby="differences">
      <h2 id="differences">What else differs</h2>
      {differences.length > 0 && (
        <PlainTable
          caption="Settings that differ"
          titles={['Setting', ...runs.map((_, index) => letterOf(index))]}
          rows={differences.map(({ setting, values }) => ({
            key: setting,
            cells: [setting, ...values.map(value => value ?? 'none')],
          }))}
        />
      )}
      {changed.length > 0 && <p>Tasks that changed between the runs: {changed.join(', ')}</p>}
      {notInAll.length > 0 && <p>Tasks that are not in every run: {notInAll.join(', ')}</p>}
    </section>
  );
}
