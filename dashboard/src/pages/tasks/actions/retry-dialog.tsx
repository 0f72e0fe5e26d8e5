import type { FormEvent } from 'react';
import { useState } from 'react';
import type { RetryRequest } from '../../../../../src/domain/api-requests.js';
import type { Task } from '../../../../../src/domain/task.js';
import { Dialog } from '../../../components/dialog.js';
import { ProblemView } from '../../../components/problem-view.js';
import { useAction } from '../../../server/use-action.js';
import type { TaskDialogProperties } from './task-actions.js';

export function RetryDialog({ task, onClose }: TaskDialogProperties) {
  const { state, start } = useAction<Task>();
  const [request, setRequest] = useState<RetryRequest>({});
  const next = task.stages.find(({ status }) => status !== 'succeeded')?.name;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    start(client => client.tasks.retry(task.id, request));
  };
  if (state.step === 'done')
    return (
      <Dialog title="Retry the task" onClose={onClose}>
        <p role="status">It waits for its turn; this page shows how it goes on.</p>
      </Dialog>
    );
  return (
    <Dialog title="Retry the task" onClose={onClose}>
      <form className="form" onSubmit={submit}>
        <p>
          {next
            ? `It goes on with the stage ${next}; what earlier stages have done stays done.`
            : 'All stages have succeeded: it is validated again.'}
        </p>
        <Limit
          label="Time limit, in seconds"
          value={request.timeoutSeconds}
          onChange={timeoutSeconds => setRequest({ ...request, timeoutSeconds })}
        />
        <Limit
          label="Cost limit, in US dollars"
          value={request.costLimitUsd}
          onChange={costLimitUsd => setRequest({ ...request, costLimitUsd })}
        />
        <div className="form-foot">
          <button type="submit" className="primary" disabled={state.step === 'busy'}>
            {state.step === 'busy' ? 'Sending…' : 'Retry'}
          </button>
        </div>
      </form>
      {state.step === 'failed' && <ProblemView error={state.error} />}
    </Dialog>
  );
}

interface LimitProperties {
  readonly label: string;
  readonly value: number | undefined;
  readonly onChange: (value: number | undefined) => void;
}

function Limit({ label, value, onChange }: LimitProperties) {
  return (
    <label>
      {label}
      <input
        type="number"
        min="0"
        step="any"
        placeholder="as before"
        value={value ?? ''}
        onChange={({ target }) => onChange(target.valueAsNumber > 0 ? target.valueAsNumber : undefined)}
      />
    </label>
  );
}
