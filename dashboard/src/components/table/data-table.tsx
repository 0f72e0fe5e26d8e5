import { useRef } from 'react';
import { Link } from '../../shell/router.js';
import { namedText } from '../text/named-text.js';
import { type Column, classOf } from './column.js';
import { TableHead } from './table-head.js';
import { useRowKeys } from './use-row-keys.js';
import { useSort } from './use-sort.js';
import { useVisibleRows } from './use-visible-rows.js';

export interface DataTableProperties<Row> {
  /** Description of the table for screen readers; not shown. */
  readonly caption: string;
  readonly rows: readonly Row[];
  /** The same array each time, so that nothing is sorted needlessly. */
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
  readonly hrefOf?: ((row: Row) => string) | undefined;
  /** A column's key, after a dash for descending. */
  readonly sortedBy: string;
}

/** As --row-height in styles/table.css. */
const ROW_HEIGHT = 36;

/** A table with a fixed head, sorting and keyboard navigation that renders only the visible rows. */
export function DataTable<Row>(properties: DataTableProperties<Row>) {
  const { caption, rows, columns, keyOf, hrefOf, sortedBy } = properties;
  const box = useRef<HTMLDivElement>(null);
  const { sort, sorted, choose } = useSort(rows, columns, sortedBy);
  const { first, end } = useVisibleRows(box, sorted.length, ROW_HEIGHT);
  useRowKeys(box, sorted.length, ROW_HEIGHT);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling box has to be reachable with the keyboard.
    <section className="table-box" ref={box} aria-label={caption} tabIndex={0}>
      <table aria-rowcount={sorted.length + 1}>
        <caption className="visually-hidden">{caption}</caption>
        <TableHead columns={columns} sort={sort} choose={choose} />
        <tbody>
          <Space rows={first} columns={columns.length} />
          {sorted.slice(first, end).map((row, index) => (
            <tr key={keyOf(row)} data-row={first + index} aria-rowindex={first + index + 2}>
              {columns.map((column, position) =>
                position === 0 ? (
                  <th key={column.key} scope="row" className={classOf(column)}>
                    {hrefOf ? (
                      <Link href={hrefOf(row)}>{namedText(column.cell(row))}</Link>
                    ) : (
                      namedText(column.cell(row))
                    )}
                  </th>
                ) : (
                  <td key={column.key} className={classOf(column)}>
                    {namedText(column.cell(row))}
                  </td>
                ),
              )}
            </tr>
          ))}
          <Space rows={sorted.length - end} columns={columns.length} />
        </tbody>
      </table>
    </section>
  );
}

/** Takes the space of the rows that are not rendered. */
function Space({ rows, columns }: { readonly rows: number; readonly columns: number }) {
  if (rows <= 0) return null;
  return (
    <tr className="space" style={{ blockSize: rows * ROW_HEIGHT }}>
      <td colSpan={columns} />
    </tr>
  );
}
