import type { Task } from '../../../../src/domain/task/task.js';
import { Age } from '../../components/text/age.js';
import { lastPart } from '../../components/text/amounts.js';
import { TaskHead } from './task-head.js';

/** The last tasks that ended. */
export function RecentTasks({ tasks }: { readonly tasks: readonly Task[] }) {
  if (tasks.length === 0) return null;
  return (
    <section className="card wide" aria-labelledby="recent">
      <h2 id="recent">Recent</h2>
      <ul className="tasks">
        {tasks.map(task => (
          <li key={task.id} className="task">
            <TaskHead task={task} />
            <div className="task-line minor">
              <span>
                {lastPart(task.repository)} · {task.failure?.message ?? task.workflow}
              </span>
              {task.endedAt && <Age at={task.endedAt} />}
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
