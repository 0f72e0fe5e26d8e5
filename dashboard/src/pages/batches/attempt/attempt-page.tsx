import type { Attempt } from '../../../../../src/domain/batch/attempt.js';
import type { BatchRun } from '../../../../../src/domain/batch/batch-run.js';
import { lookOf } from '../../../components/matrix/outcomes.js';
import { AnswerView } from '../../../components/page/answer-view.js';
import { EmptyState } from '../../../components/page/empty-state.js';
import { PageHead } from '../../../components/page/page-head.js';
import { Badge } from '../../../components/status/badge.js';
import { countOf, lastPart } from '../../../components/text/amounts.js';
import { visibleProse } from '../../../components/text/visible-text.js';
import type { PageProperties } from '../../../shell/page.js';
import { Link } from '../../../shell/router.js';
import { attemptAddress } from '../attempt-address.js';
import { useBatch } from '../use-batch.js';
import { AttemptFacts } from './attempt-facts.js';
import { AttemptLog } from './attempt-log.js';
import { AttemptPatch } from './attempt-patch.js';
import { Graders } from './graders.js';

export function AttemptPage({ parameters }: PageProperties) {
  const { id = '', task = '', attempt = '' } = parameters;
  const answer = useBatch(id);
  const number = Number(attempt);
  return (
    <>
      <PageHead
        title={task}
        note={answer.data && <Position run={answer.data} task={task} number={number} />}
      />
      <AnswerView answer={answer}>{run => <AttemptView run={run} task={task} number={number} />}</AnswerView>
    </>
  );
}

interface Place {
  readonly run: BatchRun;
  readonly task: string;
  readonly number: number;
}

/** The position of the attempt, with links to its neighbors. */
function Position({ run, task, number }: Place) {
  const numbers = Array.from({ length: run.attemptsPerTask }, (_, index) => index + 1);
  return (
    <>
      <Link href={`/batches/${run.id}`}>
        {lastPart(run.dataset)}, {run.agent}
      </Link>{' '}
      · attempt{' '}
      {numbers.map(each => (
        <Link
          key={each}
          className="attempt-link"
          href={attemptAddress(run.id, task, each)}
          aria-current={each === number ? 'page' : undefined}
        >
          {each}
        </Link>
      ))}
    </>
  );
}

function AttemptView({ run, task, number }: Place) {
  const attempt = run.attempts.find(each => each.taskId === task && each.attempt === number);
  const isPlanned = run.taskIds.includes(task) && number >= 1 && number <= run.attemptsPerTask;
  if (!isPlanned)
    return (
      <EmptyState title="There is no such attempt">
        Back to <Link href={`/batches/${run.id}`}>the run</Link>.
      </EmptyState>
    );
  return (
    <>
      {attempt ? <Result attempt={attempt} /> : <p className="banner">There is no result yet.</p>}
      {attempt && <AttemptPatch run={run.id} attempt={attempt} />}
      <AttemptLog run={run} taskId={task} attempt={number} isEnded={attempt !== undefined} />
    </>
  );
}

function Result({ attempt }: { readonly attempt: Attempt }) {
  const { tone, label } = lookOf(attempt.outcome);
  return (
    <>
      <section className="card" aria-labelledby="outcome">
        <h2 id="outcome">
          <Badge tone={tone}>{label}</Badge>{' '}
          <span className="minor">
            score {attempt.score}
            {attempt.retries > 0 && `, after ${countOf(attempt.retries, 'failure')} of the machine`}
          </span>
        </h2>
        {attempt.message && <p className="prose">{visibleProse(attempt.message)}</p>}
        {attempt.findings.length > 0 && (
          <ul className="findings" aria-label="Findings">
            {attempt.findings.map(finding => (
              <li key={finding} className="banner warning">
                {finding}
              </li>
            ))}
          </ul>
        )}
      </section>
      <Graders grades={attempt.graders} />
      <AttemptFacts attempt={attempt} />
    </>
  );
}
