import type { Task } from '../../../../../src/domain/task/task.js';
import { isActive } from '../../../../../src/domain/task/task-state.js';
import { LogView } from '../../../components/log/log-view.js';
import { ProblemView } from '../../../components/page/problem-view.js';
import { countOf } from '../../../components/text/amounts.js';
import { Command } from '../../../components/text/command.js';
import { useTaskLog } from './use-task-log.js';

export function TaskLog({ task }: { readonly task: Task }) {
  const isLive = isActive(task.status);
  const { lines, leftOut, error, retry } = useTaskLog(task.id, isLive);
  return (
    <section className="card" aria-labelledby="log">
      <h2 id="log">Log</h2>
      {error && <ProblemView error={error} onRetry={retry} />}
      {leftOut > 0 && (
        <p className="minor">
          {countOf(leftOut, 'earlier line')} left out; all of them:{' '}
          <Command text={`carrel task logs ${task.id}`} />
        </p>
      )}
      <LogView lines={lines} isLive={isLive} />
    </section>
  );
}
