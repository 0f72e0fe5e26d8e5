import type { ComparedTask, Comparison, TaskCell } from '../../../../../src/domain/batch/comparison.js';
import { OutcomeCell } from '../../../components/matrix/outcome-cell.js';
import { countOf } from '../../../components/text/amounts.js';
import { useQuery } from '../../../shell/router.js';
import { attemptAddress } from '../attempt-address.js';
import { PlainTable } from './plain-table.js';
import { letterOf } from './run-name.js';

/** Use the filter of each run for more. */
const MOST_ROWS = 500;

/** Tasks with different outcomes; all tasks on request. */
export function ChangedTasks({ comparison }: { readonly comparison: Comparison }) {
  const [query, change] = useQuery();
  const isAll = query.get('tasks') === 'all';
  const { tasks, runs } = comparison;
  const wanted = isAll ? tasks : tasks.filter(isChanged);
  return (
    <section className="card" aria-labelledby="tasks">
      <div className="card-head">
        <h2 id="tasks">
          {isAll
            ? countOf(tasks.length, 'task')
            : `${countOf(wanted.length, 'task')} with different outcomes`}
        </h2>
        <label className="check">
          <input
            type="checkbox"
            checked={isAll}
            onChange={({ target }) => change({ tasks: target.checked ? 'all' : '' })}
          />
          Show all tasks
        </label>
      </div>
      {wanted.length > MOST_ROWS && <p className="minor">The first {MOST_ROWS} are shown.</p>}
      {wanted.length > 0 && (
        <PlainTable
          caption="Tasks, with their outcome in each run"
          titles={['Task', ...runs.map((_, index) => letterOf(index)), 'Change']}
          rows={wanted.slice(0, MOST_ROWS).map(task => ({
            key: task.taskId,
            cells: [
              task.taskId,
              ...task.cells.map((cell, index) => (
                <Cell
                  key={letterOf(index)}
                  cell={cell}
                  task={task}
                  run={runs[index]?.id ?? ''}
                  index={index}
                />
              )),
              changeText(task),
            ],
          }))}
        />
      )}
    </section>
  );
}

interface CellProperties {
  readonly cell: TaskCell | null;
  readonly task: ComparedTask;
  readonly run: string;
  readonly index: number;
}

function Cell({ cell, task, run, index }: CellProperties) {
  if (!cell) return <span className="minor">not in this run</span>;
  return (
    <>
      <OutcomeCell
        outcome={cell.outcome}
        href={attemptAddress(run, task.taskId, 1)}
        name={`${task.taskId} in ${letterOf(index)}`}
      />
      {cell.judged > 1 && ` ${cell.passed} of ${cell.judged}`}
    </>
  );
}

const isChanged = ({ cells }: ComparedTask): boolean =>
  new Set(cells.map(cell => cell?.solved ?? null)).size > 1;

/** Against the baseline. */
function changeText({ cells: [first, ...others] }: ComparedTask): string {
  if (others.some(cell => cell?.solved === true) && first?.solved === false) return 'won';
  if (others.some(cell => cell?.solved === false) && first?.solved === true) return 'lost';
  return '';
}
