import { Fragment, type ReactNode } from 'react';

export interface PlainRow {
  readonly key: string;
  /** The first one names the row. */
  readonly cells: readonly ReactNode[];
}

/** A small table without sorting. */
export function PlainTable({
  caption,
  titles,
  rows,
}: {
  readonly caption: string;
  readonly titles: readonly string[];
  readonly rows: readonly PlainRow[];
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling box has to be reachable with the keyboard.
    <section className="plain-table" aria-label={caption} tabIndex={0}>
      <table>
        <caption className="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {titles.map(title => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells }) => (
            <tr key={key}>
              {cells.map((cell, index) => (
                <Fragment key={titles[index]}>
                  {index === 0 ? <th scope="row">{cell}</th> : <td>{cell}</td>}
                </Fragment>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
