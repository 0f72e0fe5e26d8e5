import type { ReactNode } from 'react';

/** One column of a table. The first one names the row and links to it. */
export interface Column<Row> {
  readonly key: string;
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  /** The sort key of rows; not sortable when left out. Null sorts last. */
  readonly sortBy?: ((row: Row) => string | number | null) | undefined;
  /** Figures. */
  readonly alignsEnd?: boolean | undefined;
  /** Left out on narrow screens. */
  readonly needs?: 'medium' | 'wide' | undefined;
}

export function classOf<Row>({ alignsEnd, needs }: Column<Row>): string | undefined {
  const words = [alignsEnd ? 'end' : '', needs ? `needs-${needs}` : ''].filter(Boolean);
  return words.length === 0 ? undefined : words.join(' ');
}
