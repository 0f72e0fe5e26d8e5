import type { Task } from '../../../../src/domain/task.js';
import { isActive } from '../../../../src/domain/task-state.js';
import { countOf } from '../../components/amounts.js';
import { Command } from '../../components/command.js';
import { LogView } from '../../components/log/log-view.js';
import { ProblemView } from '../../components/problem-view.js';
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
