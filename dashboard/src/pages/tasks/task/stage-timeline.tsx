import type { Stage, Task } from '../../../../../src/domain/task/task.js';
import { Badge } from '../../../components/status/badge.js';
import { STAGE_TONES } from '../../../components/status/stage-tones.js';
import { countOf, formatCost, formatDuration, formatSpan } from '../../../components/text/amounts.js';
import { Output } from '../../../components/text/output.js';
import { useNow } from '../../../components/text/use-now.js';
import { StageBar } from './stage-bar.js';

/** The stages in order: when each ran, its attempts and why it failed. */
export function StageTimeline({ task }: { readonly task: Task }) {
  const now = useNow();
  return (
    <section className="card" aria-labelledby="stages">
      <h2 id="stages">Stages</h2>
      <ol className="timeline">
        {task.stages.map(stage => (
          <li key={stage.name} className={STAGE_TONES[stage.status]}>
            <div className="timeline-head">
              <strong>{stage.name}</strong>
              <Badge tone={STAGE_TONES[stage.status]}>{stage.status}</Badge>
              <span className="minor">{wordsOf(stage, now)}</span>
            </div>
            <StageBar stage={stage} stages={task.stages} tone={STAGE_TONES[stage.status]} now={now} />
            <StageStory stage={stage} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function wordsOf(stage: Stage, now: number): string {
  const { agent, attempts, startedAt, endedAt, usage, exitCode } = stage;
  return [
    agent,
    startedAt && timeText(startedAt, endedAt, now),
    attempts > 1 && countOf(attempts, 'attempt'),
    exitCode !== null && exitCode !== 0 && `exit status ${exitCode}`,
    usage.costUsd !== null && formatCost(usage.costUsd),
  ]
    .filter(Boolean)
    .join(' · ');
}

function timeText(startedAt: string, endedAt: string | null, now: number): string {
  const start = Date.parse(startedAt);
  return endedAt === null ? formatDuration(now - start) : formatSpan(Date.parse(endedAt) - start);
}

/** The last message of the agent, and what went wrong. */
function StageStory({ stage }: { readonly stage: Stage }) {
  const { failure, previousFailure, message, outputs, approval } = stage;
  return (
    <>
      {previousFailure && !failure && <p className="minor">Retried because: {previousFailure.message}</p>}
      {failure && (
        <>
          <p className="bad-text">{failure.message}</p>
          {failure.hint && <p className="hint">{failure.hint}</p>}
        </>
      )}
      {approval && (
        <p className="minor">
          {approval.status === 'waiting' ? 'Waits for your approval' : 'Approved'}
          {approval.message && `: ${approval.message}`}
        </p>
      )}
      {outputs.length > 0 && <p className="minor">Wrote {outputs.map(({ name }) => name).join(', ')}</p>}
      {message && (
        <details>
          <summary>Last message of the agent</summary>
          <Output text={message} />
        </details>
      )}
    </>
  );
}
