import type { Task } from '../../../../src/domain/task.js';
import { TaskStatus } from '../../components/task-status.js';
import { taskTitle } from '../../components/task-title.js';
import { Link } from '../../shell/router.js';

/** What a task is called, as a way to its page, and how it is. */
export function TaskHead({ task }: { readonly task: Task }) {
  return (
    <div className="task-line">
      <Link href={`/tasks/${task.id}`} className="task-name">
        {taskTitle(task)}
      </Link>
      <TaskStatus status={task.status} />
    </div>
  );
}
