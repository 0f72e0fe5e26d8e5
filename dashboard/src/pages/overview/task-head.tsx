import type { Task } from '../../../../src/domain/task/task.js';
import { TaskStatus } from '../../components/status/task-status.js';
import { taskTitle } from '../../components/text/task-title.js';
import { Link } from '../../shell/router.js';

/** The title of a task with a link to its page, and its status. */
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
