import type { Task } from '../../../../../src/domain/task/task.js';
import { AnswerView } from '../../../components/page/answer-view.js';
import { PageHead } from '../../../components/page/page-head.js';
import { TaskStatus } from '../../../components/status/task-status.js';
import { taskTitle } from '../../../components/text/task-title.js';
import { visibleProse } from '../../../components/text/visible-text.js';
import { useAnswer } from '../../../server/use-answer.js';
import type { PageProperties } from '../../../shell/page.js';
import { TaskActions } from '../actions/task-actions.js';
import { FailureView } from './failure-view.js';
import { StageTimeline } from './stage-timeline.js';
import { TaskDiff } from './task-diff.js';
import { TaskFacts } from './task-facts.js';
import { TaskLog } from './task-log.js';
import { TaskWarnings } from './task-warnings.js';
import { Validation } from './validation.js';

export function TaskPage({ parameters }: PageProperties) {
  const id = parameters.id ?? '';
  const answer = useAnswer({
    key: `task ${id}`,
    load: (client, signal) => client.tasks.show(id, { signal }),
    changesWith: event => event.taskId === id,
  });
  return (
    <>
      {!answer.data && <PageHead title="Task" />}
      <AnswerView answer={answer}>{task => <TaskView task={task} onChange={answer.refresh} />}</AnswerView>
    </>
  );
}

function TaskView({ task, onChange }: { readonly task: Task; readonly onChange: () => void }) {
  return (
    <>
      <PageHead title={taskTitle(task)} note={<StatusNote task={task} />}>
        <TaskActions task={task} onChange={onChange} />
      </PageHead>
      <TaskWarnings task={task} />
      {task.failure && <FailureView failure={task.failure} />}
      {taskTitle(task) !== task.description && (
        <section className="card" aria-label="Description">
          <p className="prose">{visibleProse(task.description)}</p>
        </section>
      )}
      <StageTimeline task={task} />
      <TaskFacts task={task} />
      <Validation results={task.validation} />
      <TaskLog task={task} />
      <TaskDiff task={task} />
    </>
  );
}

function StatusNote({ task }: { readonly task: Task }) {
  return (
    <span role="status" className="badges">
      <TaskStatus status={task.status} /> <code>{task.id}</code>
    </span>
  );
}
