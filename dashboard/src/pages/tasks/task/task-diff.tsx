import type { Task } from '../../../../../src/domain/task/task.js';
import { ProblemError } from '../../../../../src/surfaces/client/problem-error.js';
import { DiffView } from '../../../components/diff/diff-view.js';
import { AnswerView } from '../../../components/page/answer-view.js';
import { useAnswer } from '../../../server/use-answer.js';

/** The changes of the task so far. */
export function TaskDiff({ task }: { readonly task: Task }) {
  const { id, base } = task;
  const answer = useAnswer({
    key: `task diff ${id} ${base === null}`,
    // Before it has a base there is no diff.
    load: async (client, signal) => (base === null ? null : readDiff(client.tasks.diff(id, { signal }))),
    changesWith: event => event.taskId === id,
  });
  return (
    <section className="card" aria-labelledby="diff">
      <div className="card-head">
        <h2 id="diff">Changes</h2>
        <button type="button" className="quiet" onClick={answer.refresh}>
          Refresh
        </button>
      </div>
      <AnswerView answer={answer}>
        {patch =>
          patch === null ? (
            <p className="minor">There are no changes yet, or they were removed.</p>
          ) : (
            <DiffView patch={patch} />
          )
        }
      </AnswerView>
    </section>
  );
}

/** Null when there is nothing to compare, as for a task that waits or was cleaned up. */
async function readDiff(patch: Promise<string>): Promise<string | null> {
  try {
    return await patch;
  } catch (error) {
    if (error instanceof ProblemError && error.code === 'TASK_DIFF_GONE') return null;
    throw error;
  }
}
