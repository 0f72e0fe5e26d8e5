import { ProblemError } from '../../../../src/client/problem-error.js';
import type { Task } from '../../../../src/domain/task.js';
import { AnswerView } from '../../components/answer-view.js';
import { DiffView } from '../../components/diff/diff-view.js';
import { useAnswer } from '../../server/use-answer.js';

/** What the task has changed, as far as it is. */
export function TaskDiff({ task }: { readonly task: Task }) {
  const { id, base } = task;
  const answer = useAnswer({
    key: `task diff ${id} ${base === null}`,
    // Before it has a base there is nothing to ask for.
    load: async (client, signal) => (base === null ? null : readDiff(client.tasks.diff(id, { signal }))),
    changesWith: event => event.taskId === id,
  });
  return (
    <section className="card" aria-labelledby="diff">
      <div className="card-head">
        <h2 id="diff">Changes</h2>
        <button type="button" className="quiet" onClick={answer.refresh}>
          Look again
        </button>
      </div>
      <AnswerView answer={answer}>
        {patch =>
          patch === null ? (
            <p className="minor">There are none yet, or no longer.</p>
          ) : (
            <DiffView patch={patch} />
          )
        }
      </AnswerView>
    </section>
  );
}

/** Null when there is nothing that could be compared: an ordinary thing for a task that waits, or was cleaned up. */
async function readDiff(patch: Promise<string>): Promise<string | null> {
  try {
    return await patch;
  } catch (error) {
    if (error instanceof ProblemError && error.code === 'TASK_DIFF_GONE') return null;
    throw error;
  }
}
