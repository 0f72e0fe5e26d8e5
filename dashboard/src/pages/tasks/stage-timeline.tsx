import type { Stage, Task } from '../../../../src/domain/task.js';
import type { StageStatus } from '../../../../src/domain/task-status.js';
import { countOf, formatCost, formatDuration } from '../../components/amounts.js';
import { Badge, type Tone } from '../../components/badge.js';
import { useNow } from '../../components/use-now.js';
import { Output } from './failure-view.js';
import { StageBar } from './stage-bar.js';

const TONES: Readonly<Record<StageStatus, Tone>> = {
  pending: 'neutral',
  running: 'accent',
  succeeded: 'good',
  failed: 'bad',
  cancelled: 'neutral',
  interrupted: 'warning',
};

/** The stages in their order: when each ran, how often it was tried and why it failed. */
export function StageTimeline({ task }: { readonly task: Task }) {
  const now = useNow();
  return (
    <section className="card" aria-labelledby="stages">
      <h2 id="stages">Stages</h2>
      <ol className="timeline">
        {task.stages.map(stage => (
          <li key={stage.name} className={TONES[stage.status]}>
            <div className="timeline-head">
              <strong>{stage.name}</strong>
              <Badge tone={TONES[stage.status]}>{stage.status}</Badge>
              <span className="minor">{wordsOf(stage, now)}</span>
            </div>
            <StageBar stage={stage} stages={task.stages} tone={TONES[stage.status]} now={now} />
            <StageStory stage={stage} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function wordsOf(stage: Stage, now: number): string {
  const { agent, attempts, startedAt, endedAt, usage, exitCode } = stage;
  const end = endedAt === null ? now : Date.parse(endedAt);
  return [
    agent,
    startedAt && formatDuration(end - Date.parse(startedAt)),
    attempts > 1 && countOf(attempts, 'attempt'),
    exitCode !== null && exitCode !== 0 && `exit status ${exitCode}`,
    usage.costUsd !== null && formatCost(usage.costUsd),
  ]
    .filter(Boolean)
    .join(' · ');
}

/** What the agent said last, and what went wrong. */
function StageStory({ stage }: { readonly stage: Stage }) {
  const { failure, previousFailure, message, outputs } = stage;
  return (
    <>
      {previousFailure && !failure && (
        <p className="minor">Tried again, because: {previousFailure.message}</p>
      )}
      {failure && (
        <p className="bad-text">
          {failure.message} {failure.hint}
        </p>
      )}
      {outputs.length > 0 && (
        <p className="minor">Wrote {outputs.map(({ name }) => name).join(', ')}</p>
      )}
      {message && (
        <details>
          <summary>Last words of the agent</summary>
          <Output text={message} />
        </details>
      )}
    </>
  );
}
