import { useMemo } from 'react';
import type { ShownLine } from './shown-line.js';

/** An empty value means all. */
export interface LogWish {
  readonly stage: string;
  readonly stream: ShownLine['stream'] | '';
}

const STREAMS: readonly (readonly [ShownLine['stream'], string])[] = [
  ['stdout', 'output'],
  ['stderr', 'errors'],
  ['activity', 'agent activity'],
  ['carrel', 'Carrel'],
];

/** Machine-readable output is shown only when output is selected. */
export const matchesWish = (line: ShownLine, { stage, stream }: LogWish): boolean =>
  (stage === '' || line.stage === stage) && (stream === '' ? !line.isForPrograms : line.stream === stream);

export function LogFilter({
  lines,
  wish,
  onChange,
}: {
  readonly lines: readonly ShownLine[];
  readonly wish: LogWish;
  readonly onChange: (wish: LogWish) => void;
}) {
  const stages = useMemo(() => [...new Set(lines.map(({ stage }) => stage))], [lines]);
  const streams = useMemo(() => new Set(lines.map(({ stream }) => stream)), [lines]);
  if (stages.length < 2 && streams.size < 2) return null;
  const choose = (text: string) => STREAMS.find(([value]) => value === text)?.[0] ?? '';
  return (
    <>
      <select
        aria-label="Stage"
        value={wish.stage}
        onChange={({ target }) => onChange({ ...wish, stage: target.value })}
      >
        <option value="">all stages</option>
        {stages.map(
          stage =>
            stage !== null && (
              <option key={stage} value={stage}>
                {stage}
              </option>
            ),
        )}
      </select>
      <select
        aria-label="Stream"
        value={wish.stream}
        onChange={({ target }) => onChange({ ...wish, stream: choose(target.value) })}
      >
        <option value="">all streams</option>
        {STREAMS.map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    </>
  );
}
