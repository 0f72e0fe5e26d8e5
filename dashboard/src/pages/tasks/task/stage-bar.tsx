import type { Stage } from '../../../../../src/domain/task/task.js';
import type { Tone } from '../../../components/status/badge.js';

/** When a stage ran, next to the others; parallel stages are stacked. The duration is also shown as text. */
export function StageBar({
  stage,
  stages,
  tone,
  now,
}: {
  readonly stage: Stage;
  readonly stages: readonly Stage[];
  readonly tone: Tone;
  readonly now: number;
}) {
  const own = spanOf(stage, now);
  const spans = stages.map(each => spanOf(each, now)).filter(span => span !== undefined);
  if (!own) return <div className="timeline-track" aria-hidden="true" />;
  const begin = Math.min(...spans.map(({ start }) => start));
  const whole = Math.max(1, Math.max(...spans.map(({ end }) => end)) - begin);
  const percent = (time: number) => (100 * time) / whole;
  return (
    <div className="timeline-track" aria-hidden="true">
      <span
        className={`timeline-bar ${tone}`}
        style={{
          marginInlineStart: `${percent(own.start - begin)}%`,
          inlineSize: `${percent(own.end - own.start)}%`,
        }}
      />
    </div>
  );
}

function spanOf({ startedAt, endedAt }: Stage, now: number): { start: number; end: number } | undefined {
  if (startedAt === null) return undefined;
  const start = Date.parse(startedAt);
  return { start, end: Math.max(start, endedAt === null ? now : Date.parse(endedAt)) };
}
