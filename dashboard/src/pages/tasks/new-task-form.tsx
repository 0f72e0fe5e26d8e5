import { type FormEvent, type KeyboardEvent, useId } from 'react';
import type { TaskRequest } from '../../../../src/domain/api-requests.js';
import type { IsolationMode } from '../../../../src/domain/isolation.js';

const ISOLATIONS: readonly (readonly [IsolationMode, string])[] = [
  ['full', 'full: own worktree and a sandbox'],
  ['worktree', 'worktree: own worktree'],
  ['shared', 'shared: the repository itself'],
];

export interface NewTaskFormProperties {
  readonly request: TaskRequest;
  readonly onChange: (request: TaskRequest) => void;
  readonly repositories: readonly string[];
  /** The one that the server was started in. */
  readonly own: string | null;
  readonly workflows: readonly string[];
  readonly agents: readonly string[];
  readonly isBusy: boolean;
  readonly onSubmit: () => void;
}

export function NewTaskForm(properties: NewTaskFormProperties) {
  const { request, onChange, repositories, own, workflows, agents, isBusy, onSubmit } = properties;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  const sendWithKeys = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.requestSubmit();
  };
  return (
    <form className="form" onSubmit={submit}>
      <label>
        What is to be done
        <textarea
          required
          rows={4}
          ref={beginHere}
          value={request.description}
          onChange={({ target }) => onChange({ ...request, description: target.value })}
          onKeyDown={sendWithKeys}
        />
      </label>
      <Suggested
        label="Repository"
        value={request.repository}
        placeholder={own ?? 'a path under the allowed roots'}
        isRequired={own === null}
        names={repositories}
        onChange={repository => onChange({ ...request, repository })}
      />
      <Suggested
        label="Workflow"
        value={request.workflow}
        placeholder="as configured"
        names={workflows}
        onChange={workflow => onChange({ ...request, workflow })}
      />
      <Suggested
        label="Agent"
        value={request.agent}
        placeholder="those of the workflow"
        names={agents}
        onChange={agent => onChange({ ...request, agent })}
      />
      <label>
        Isolation
        <select
          value={request.isolation ?? ''}
          onChange={({ target }) => onChange({ ...request, isolation: isolationOf(target.value) })}
        >
          <option value="">as configured</option>
          {ISOLATIONS.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <label className="check">
        <input
          type="checkbox"
          checked={request.strict ?? false}
          onChange={({ target }) => onChange({ ...request, strict: target.checked || undefined })}
        />
        Refuse instead of falling back to less isolation
      </label>
      <div className="form-foot">
        <button type="submit" className="primary" disabled={isBusy}>
          {isBusy ? 'Sending…' : 'Start the task'}
        </button>
      </div>
    </form>
  );
}

/** The dialog gives the focus to what has this attribute; React's own `autoFocus` comes before the dialog is open. */
const beginHere = (field: HTMLTextAreaElement | null): void => field?.setAttribute('autofocus', '');

const isolationOf = (text: string): IsolationMode | undefined =>
  ISOLATIONS.find(([value]) => value === text)?.[0];

interface SuggestedProperties {
  readonly label: string;
  readonly value: string | undefined;
  readonly placeholder: string;
  readonly isRequired?: boolean;
  readonly names: readonly string[];
  readonly onChange: (value: string | undefined) => void;
}

/** Free text, with what was typed before as suggestions. */
function Suggested({ label, value, placeholder, isRequired, names, onChange }: SuggestedProperties) {
  const list = useId();
  return (
    <label>
      {label}
      <input
        value={value ?? ''}
        placeholder={placeholder}
        required={isRequired}
        list={list}
        spellCheck={false}
        onChange={({ target }) => onChange(target.value.trim() || undefined)}
      />
      <datalist id={list}>
        {names.map(name => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </label>
  );
}
