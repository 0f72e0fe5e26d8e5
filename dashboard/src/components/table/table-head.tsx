import { type Column, classOf } from './column.js';
import type { Sort } from './use-sort.js';

export function TableHead<Row>({
  columns,
  sort,
  choose,
}: {
  readonly columns: readonly Column<Row>[];
  readonly sort: Sort;
  readonly choose: (key: string) => void;
}) {
  return (
    <thead>
      <tr aria-rowindex={1}>
        {columns.map(column => (
          <th
            key={column.key}
            scope="col"
            className={classOf(column)}
            aria-sort={directionOf(column.key, sort)}
          >
            {column.sortBy ? (
              <button type="button" className="sort" onClick={() => choose(column.key)}>
                {column.title}
                <span aria-hidden="true" className="sort-mark">
                  {markOf(column.key, sort)}
                </span>
              </button>
            ) : (
              column.title
            )}
          </th>
        ))}
      </tr>
    </thead>
  );
}

function directionOf(key: string, sort: Sort): 'ascending' | 'descending' | undefined {
  if (sort.key !== key) return undefined;
  return sort.isDescending ? 'descending' : 'ascending';
}

function markOf(key: string, sort: Sort): string {
  if (sort.key !== key) return '';
  return sort.isDescending ? '↓' : '↑';
}
