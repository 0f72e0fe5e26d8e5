import { FilterField } from '../../../components/field/filter-field.js';
import { QuerySelect } from '../../../components/field/query-select.js';
import { lookOf, OUTCOME_LOOKS } from '../../../components/matrix/outcomes.js';
import { countOf } from '../../../components/text/amounts.js';
import { useQuery } from '../../../shell/router.js';
import type { MatrixRow } from './matrix-rows.js';

const NOT_DONE = 'not-done';

/** The filter in the URL: an outcome of any attempt, and labels. */
export function useMatrixWish(): (row: MatrixRow) => boolean {
  const [query] = useQuery();
  const [outcome, difficulty, language, tag] = ['outcome', 'difficulty', 'language', 'tag'].map(name =>
    query.get(name),
  );
  return row =>
    (!outcome || row.attempts.some(attempt => (attempt?.outcome ?? NOT_DONE) === outcome)) &&
    (!difficulty || row.difficulty === difficulty) &&
    (!language || row.language === language) &&
    (!tag || row.tags.includes(tag));
}

export function MatrixFilter({
  rows,
  found,
}: {
  readonly rows: readonly MatrixRow[];
  readonly found: number;
}) {
  const all = countOf(rows.length, 'task');
  return (
    <div className="filters">
      <QuerySelect
        name="outcome"
        label="Outcome"
        all="all outcomes"
        values={valuesOf(rows, row => row.attempts.map(attempt => attempt?.outcome ?? NOT_DONE))}
        textOf={outcomeText}
      />
      <Labels name="difficulty" label="Difficulty" rows={rows} of={row => [row.difficulty]} />
      <Labels name="language" label="Language" rows={rows} of={row => [row.language]} />
      <Labels name="tag" label="Tag" rows={rows} of={row => row.tags} />
      <FilterField label="Filter tasks" found={found === rows.length ? all : `${found} of ${all}`} />
    </div>
  );
}

interface LabelsProperties {
  readonly name: string;
  readonly label: string;
  readonly rows: readonly MatrixRow[];
  readonly of: (row: MatrixRow) => readonly (string | null)[];
}

/** Not shown when there is nothing to choose from. */
function Labels({ name, label, rows, of }: LabelsProperties) {
  const values = valuesOf(rows, of);
  if (values.length < 2) return null;
  return <QuerySelect name={name} label={label} all={`${label.toLowerCase()}: all`} values={values} />;
}

const valuesOf = (
  rows: readonly MatrixRow[],
  of: (row: MatrixRow) => readonly (string | null)[],
): readonly string[] => [...new Set(rows.flatMap(of))].filter(value => value !== null).sort();

function outcomeText(value: string): string {
  const known = (Object.keys(OUTCOME_LOOKS) as (keyof typeof OUTCOME_LOOKS)[]).find(each => each === value);
  return lookOf(known).label;
}
