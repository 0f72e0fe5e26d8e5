import { useMemo } from 'react';
import { useQuery } from '../../shell/router.js';
import type { Column } from './column.js';

export interface Sort {
  readonly key: string;
  readonly isDescending: boolean;
}

export interface Sorting<Row> {
  readonly sort: Sort;
  readonly sorted: readonly Row[];
  /** Sorts by a column; the same column again reverses the order. */
  readonly choose: (key: string) => void;
}

/** The order of the rows, kept in the URL as `sort`: a column's key, after a dash for descending. */
export function useSort<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  byDefault: string,
): Sorting<Row> {
  const [query, change] = useQuery();
  const text = query.get('sort') ?? byDefault;
  const sort = parseSort(text);
  const sorted = useMemo(() => sortRows(rows, columns, parseSort(text)), [rows, columns, text]);
  const choose = (key: string) => {
    const isDescending = sort.key === key && !sort.isDescending;
    const chosen = `${isDescending ? '-' : ''}${key}`;
    change({ sort: chosen === byDefault ? '' : chosen });
  };
  return { sort, sorted, choose };
}

const parseSort = (text: string): Sort => ({
  key: text.replace(/^-/, ''),
  isDescending: text.startsWith('-'),
});

function sortRows<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { key, isDescending }: Sort,
): readonly Row[] {
  const sortBy = columns.find(column => column.key === key)?.sortBy;
  if (!sortBy) return rows;
  const direction = isDescending ? -1 : 1;
  return rows.toSorted((a, b) => compare(sortBy(a), sortBy(b), direction));
}

const collator = new Intl.Collator(undefined, { numeric: true });

function compare(a: string | number | null, b: string | number | null, direction: number): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  if (typeof a === 'number' && typeof b === 'number') return direction * (a - b);
  return direction * collator.compare(String(a), String(b));
}
