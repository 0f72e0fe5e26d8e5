import { useMemo, useRef, useState } from 'react';
import { countOf } from '../text/amounts.js';
import { LogFilter, type LogWish, matchesWish } from './log-filter.js';
import { LogTable } from './log-table.js';
import type { ShownLine } from './shown-line.js';
import { useFollowing } from './use-following.js';

export interface LogViewProperties {
  readonly lines: readonly ShownLine[];
  /** Whether more may come. */
  readonly isLive: boolean;
}

/** A log that follows its end until the user scrolls up, and again when the end is reached. */
export function LogView({ lines, isLive }: LogViewProperties) {
  const [wish, setWish] = useState<LogWish>({ stage: '', stream: '' });
  const shown = useMemo(() => lines.filter(line => matchesWish(line, wish)), [lines, wish]);
  const box = useRef<HTMLElement>(null);
  const { isFollowing, follow } = useFollowing(box, shown.length);
  if (lines.length === 0) return <p className="minor">{isLive ? 'No output yet.' : 'No output.'}</p>;
  return (
    <div className="log">
      <div className="log-head">
        <LogFilter lines={lines} wish={wish} onChange={setWish} />
        <span className="minor log-count">{countText(shown.length, lines, wish)}</span>
        {isFollowing ? (
          isLive && <span className="log-live">● following</span>
        ) : (
          <button type="button" onClick={follow}>
            {isLive ? 'Paused: follow the end' : 'To the end'}
          </button>
        )}
      </div>
      <LogTable box={box} lines={shown} />
    </div>
  );
}

function countText(shown: number, lines: readonly ShownLine[], { stage, stream }: LogWish): string {
  const all = countOf(lines.length, 'line');
  if (shown === lines.length) return all;
  const isWhole = stage === '' && stream === '';
  return isWhole
    ? `${countOf(shown, 'line')}, and ${lines.length - shown} for programs under “output”`
    : `${shown} of ${all}`;
}
