import type { CSSProperties, RefObject } from 'react';
import { useVisibleRows } from '../table/use-visible-rows.js';
import type { DiffRow, Layout } from './diff-rows.js';
import { FileHead } from './file-head.js';
import { LineCells, PairCells } from './line-cells.js';
import { ROW_HEIGHT } from './row-height.js';

export interface DiffTableProperties {
  readonly box: RefObject<HTMLElement | null>;
  /** Characters of the longest line. */
  readonly longest: number;
  readonly rows: readonly DiffRow[];
  readonly layout: Layout;
  readonly closed: ReadonlySet<string>;
  readonly onToggle: (path: string) => void;
}

const COLUMNS: Readonly<Record<Layout, readonly string[]>> = {
  unified: ['Line before', 'Line after', 'Text'],
  split: ['Line before', 'Text before', 'Line after', 'Text after'],
};

export function DiffTable({ box, longest, rows, layout, closed, onToggle }: DiffTableProperties) {
  const { first, end } = useVisibleRows(box, rows.length, ROW_HEIGHT);
  const width = { '--longest': `${longest + 3}ch` } as CSSProperties;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling box has to be reachable with the keyboard.
    <section className="diff-box" ref={box} aria-label="Diff" tabIndex={0}>
      <table className={layout} style={width} aria-rowcount={rows.length + 1}>
        <caption className="visually-hidden">Changes, file by file</caption>
        <thead>
          <tr aria-rowindex={1}>
            {COLUMNS[layout].map(title => (
              <th key={title} scope="col">
                <span className="visually-hidden">{title}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Space rows={first} columns={COLUMNS[layout].length} />
          {rows.slice(first, end).map((row, index) => (
            <Row
              // biome-ignore lint/suspicious/noArrayIndexKey: rows have a fixed order.
              key={first + index}
              row={row}
              position={first + index}
              columns={COLUMNS[layout].length}
              isClosed={row.kind === 'file' && closed.has(row.file.path)}
              onToggle={onToggle}
            />
          ))}
          <Space rows={rows.length - end} columns={COLUMNS[layout].length} />
        </tbody>
      </table>
    </section>
  );
}

interface RowProperties {
  readonly row: DiffRow;
  readonly position: number;
  readonly columns: number;
  readonly isClosed: boolean;
  readonly onToggle: (path: string) => void;
}

function Row({ row, position, columns, isClosed, onToggle }: RowProperties) {
  const place = { 'data-row': position, 'aria-rowindex': position + 2 };
  switch (row.kind) {
    // The head of the file above uses this space too.
    case 'below-file':
      return null;
    case 'file':
      return (
        <tr {...place} className="diff-file">
          <th scope="rowgroup" colSpan={columns}>
            <FileHead file={row.file} isClosed={isClosed} onToggle={() => onToggle(row.file.path)} />
          </th>
        </tr>
      );
    case 'hunk':
    case 'message':
      return (
        <tr {...place} className={`diff-${row.kind}`}>
          <td colSpan={columns}>{row.kind === 'hunk' ? row.header : row.text}</td>
        </tr>
      );
    case 'line':
      return (
        <tr {...place}>
          <LineCells {...row} />
        </tr>
      );
    case 'pair':
      return (
        <tr {...place}>
          <PairCells {...row} />
        </tr>
      );
  }
}

/** Takes the space of the rows that are not rendered. */
function Space({ rows, columns }: { readonly rows: number; readonly columns: number }) {
  if (rows <= 0) return null;
  return (
    <tr style={{ blockSize: rows * ROW_HEIGHT }}>
      <td colSpan={columns} />
    </tr>
  );
}
