import type { Task } from '../../../../src/domain/task/task.js';
import { EmptyState } from '../../components/page/empty-state.js';
import { countOf, formatDuration, lastPart } from '../../components/text/amounts.js';
import { Command } from '../../components/text/command.js';
import { useNow } from '../../components/text/use-now.js';
import { Link } from '../../shell/router.js';
import { StageProgress } from './stage-progress.js';
import { TaskHead } from './task-head.js';

/** More are only counted: the tasks page lists them all. */
const MOST = 20;

/** Running tasks, then waiting ones. */
export function ActiveTasks({
  running,
  waiting,
}: {
  readonly running: readonly Task[];
  readonly waiting: readonly Task[];
}) {
  const tasks = [...running, ...waiting];
  return (
    <section className="card wide" aria-labelledby="active">
      <h2 id="active">Running and waiting</h2>
      {tasks.length === 0 ? (
        <EmptyState title="No task is running">
          Give an agent something to do: <Command text={'carrel run "fix the failing test"'} />
        </EmptyState>
      ) : (
        <ul className="tasks">
          {tasks.slice(0, MOST).map(task => (
            <ActiveTask key={task.id} task={task} />
          ))}
        </ul>
      )}
      {tasks.length > MOST && (
        <p className="minor">
          and {countOf(tasks.length - MOST, 'other')}: <Link href="/tasks">all tasks</Link>
        </p>
      )}
    </section>
  );
}

function ActiveTask({ task }: { readonly task: Task }) {
  const now = useNow();
  const begun = task.runs.at(-1)?.startedAt;
  return (
    <li className="task">
      <TaskHead task={task} />
      <div className="task-line minor">
        <span>
          {lastPart(task.repository)} · {task.workflow}
          {begun && ` · ${formatDuration(now - Date.parse(begun))}`}
        </span>
        <StageProgress stages={task.stages} />
      </div>
    </li>
  );
}
