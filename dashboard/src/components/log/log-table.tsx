import type { RefObject } from 'react';
import { useVisibleRows } from '../table/use-visible-rows.js';
import { plainText } from '../text/visible-text.js';
import type { ShownLine } from './shown-line.js';

/** As --line-height in styles/log.css. */
const ROW_HEIGHT = 20;

/** Only the visible lines are rendered. */
export function LogTable({
  box,
  lines,
}: {
  readonly box: RefObject<HTMLElement | null>;
  readonly lines: readonly ShownLine[];
}) {
  const { first, end } = useVisibleRows(box, lines.length, ROW_HEIGHT);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling box has to be reachable with the keyboard.
    <section className="log-box" ref={box} aria-label="Lines of the log" tabIndex={0}>
      <table aria-rowcount={lines.length + 1}>
        <caption className="visually-hidden">Log, oldest line first</caption>
        <thead>
          <tr aria-rowindex={1}>
            {['Time', 'From', 'Text'].map(title => (
              <th key={title} scope="col">
                <span className="visually-hidden">{title}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Space rows={first} />
          {lines.slice(first, end).map((line, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have a fixed order.
            <Line key={first + index} line={line} position={first + index} />
          ))}
          <Space rows={lines.length - end} />
        </tbody>
      </table>
    </section>
  );
}

function Line({ line, position }: { readonly line: ShownLine; readonly position: number }) {
  const { at, stage, attempt, stream, text } = line;
  return (
    <tr data-row={position} aria-rowindex={position + 2} className={`log-${stream}`}>
      <td className="log-time">{at && <time dateTime={at}>{clockTime(at)}</time>}</td>
      <td className="log-from">
        {[stage, attempt > 1 ? `(${attempt})` : '', WORDS[stream]].filter(Boolean).join(' ')}
      </td>
      <td>{plainText(text)}</td>
    </tr>
  );
}

/** Output is the default and needs no label; the others differ by more than a color. */
const WORDS: Readonly<Record<ShownLine['stream'], string>> = {
  stdout: '',
  stderr: 'err',
  activity: '›',
  carrel: 'carrel',
};

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium', hour12: false });
const clockTime = (at: string): string => clock.format(new Date(at));

/** Takes the space of the lines that are not rendered. */
function Space({ rows }: { readonly rows: number }) {
  if (rows <= 0) return null;
  return (
    <tr style={{ blockSize: rows * ROW_HEIGHT }}>
      <td colSpan={3} />
    </tr>
  );
}
