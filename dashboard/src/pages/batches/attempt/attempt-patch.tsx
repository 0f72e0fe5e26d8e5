import type { Attempt } from '../../../../../src/domain/batch/attempt.js';
import { DiffView } from '../../../components/diff/diff-view.js';
import { AnswerView } from '../../../components/page/answer-view.js';
import { useAnswer } from '../../../server/use-answer.js';

/** What the agent has changed in this attempt. */
export function AttemptPatch({ run, attempt }: { readonly run: string; readonly attempt: Attempt }) {
  const { taskId, attempt: number, identity } = attempt;
  const answer = useAnswer({
    key: `patch ${run} ${taskId} ${number} ${identity}`,
    load: (client, signal) => client.batches.patch(run, taskId, number, { signal }),
  });
  return (
    <section className="card" aria-labelledby="patch">
      <h2 id="patch">Changes</h2>
      <AnswerView answer={answer}>{patch => <DiffView patch={patch} />}</AnswerView>
    </section>
  );
}
