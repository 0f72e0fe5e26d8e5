import { type FormEvent, useState } from 'react';
import type { BatchRequest } from '../../../../src/domain/api-requests.js';
import type { BatchSummary } from '../../../../src/domain/batch-summary.js';
import { Dialog } from '../../components/dialog.js';
import { ProblemView } from '../../components/problem-view.js';
import { useAction } from '../../server/use-action.js';
import { navigate } from '../../shell/router.js';

const ISOLATIONS = ['worktree', 'full', 'docker', 'none'] as const;

/** Lets an agent work through a data set; the page of the run opens as soon as it is planned. */
export function NewBatchDialog({ onClose }: { readonly onClose: () => void }) {
  const { state, start } = useAction<BatchSummary>();
  const [request, setRequest] = useState<BatchRequest>({ dataset: 'golden', agent: '' });
  const [tasks, setTasks] = useState('');
  const change = (part: Partial<BatchRequest>) => setRequest({ ...request, ...part });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    start(async client => {
      const taskIds = tasks.split(/[\s,]+/).filter(Boolean);
      const batch = await client.batches.start(taskIds.length > 0 ? { ...request, taskIds } : request);
      navigate(`/batches/${batch.id}`);
      return batch;
    });
  };
  return (
    <Dialog title="New batch" onClose={onClose}>
      <form className="form" onSubmit={submit}>
        <label>
          Agent
          <input
            required
            value={request.agent}
            placeholder="such as claude, or oracle for the reference solutions"
            onChange={({ target }) => change({ agent: target.value.trim() })}
          />
        </label>
        <label>
          Data set
          <input
            required
            value={request.dataset}
            onChange={({ target }) => change({ dataset: target.value.trim() })}
          />
        </label>
        <label>
          Only these tasks
          <input
            value={tasks}
            placeholder="all; or their ids, separated by blanks"
            onChange={({ target }) => setTasks(target.value)}
          />
        </label>
        <Count
          label="Attempts of each task"
          value={request.attempts}
          onChange={attempts => change({ attempts })}
        />
        <Count
          label="At the same time"
          value={request.parallelism}
          onChange={parallelism => change({ parallelism })}
        />
        <label>
          Isolation
          <select
            value={request.isolation ?? ''}
            onChange={({ target }) =>
              change({ isolation: ISOLATIONS.find(isolation => isolation === target.value) })
            }
          >
            <option value="">as configured</option>
            {ISOLATIONS.map(isolation => (
              <option key={isolation}>{isolation}</option>
            ))}
          </select>
        </label>
        <div className="form-foot">
          <button type="submit" className="primary" disabled={state.step === 'busy'}>
            {state.step === 'busy' ? 'Planning…' : 'Start the batch'}
          </button>
        </div>
      </form>
      {state.step === 'failed' && <ProblemView error={state.error} />}
    </Dialog>
  );
}

interface CountProperties {
  readonly label: string;
  readonly value: number | undefined;
  readonly onChange: (value: number | undefined) => void;
}

function Count({ label, value, onChange }: CountProperties) {
  return (
    <label>
      {label}
      <input
        type="number"
        min="1"
        max="64"
        placeholder="1"
        value={value ?? ''}
        onChange={({ target }) => onChange(target.valueAsNumber > 0 ? target.valueAsNumber : undefined)}
      />
    </label>
  );
}
