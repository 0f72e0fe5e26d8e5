import type { FormEvent } from 'react';
import type { LandRequest } from '../../../../src/domain/api-requests.js';

const STRATEGIES = [
  { value: 'merge', label: 'merge: all commits, with a merge commit' },
  { value: 'squash', label: 'squash: one commit' },
  { value: 'rebase', label: 'rebase: all commits, on top' },
] as const;

export interface LandFormProperties {
  readonly branch: string;
  readonly request: LandRequest;
  readonly onChange: (request: LandRequest) => void;
  readonly isBusy: boolean;
  readonly onSubmit: () => void;
}

export function LandForm({ branch, request, onChange, isBusy, onSubmit }: LandFormProperties) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form className="form" onSubmit={submit}>
      <p>
        Brings the commits of <code>{branch}</code> to a branch of the repository. A checkout of that branch
        goes along when it is clean; when it has changes, nothing is done.
      </p>
      <label>
        Into
        <input
          value={request.into ?? ''}
          placeholder="the branch it was made from"
          onChange={({ target }) => onChange({ ...request, into: target.value.trim() || undefined })}
        />
      </label>
      <label>
        Strategy
        <select
          value={request.strategy ?? ''}
          onChange={({ target }) => onChange({ ...request, strategy: strategyOf(target.value) })}
        >
          <option value="">as configured</option>
          {STRATEGIES.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <label>
        Message
        <input
          value={request.message ?? ''}
          placeholder="made from the commits"
          onChange={({ target }) => onChange({ ...request, message: target.value || undefined })}
        />
      </label>
      <label className="check">
        <input
          type="checkbox"
          checked={request.keep ?? false}
          onChange={({ target }) => onChange({ ...request, keep: target.checked || undefined })}
        />
        Keep the workspace afterwards
      </label>
      <div className="form-foot">
        <button type="submit" className="primary" disabled={isBusy}>
          {isBusy ? 'Landing…' : 'Land'}
        </button>
      </div>
    </form>
  );
}

const strategyOf = (text: string): LandRequest['strategy'] =>
  STRATEGIES.find(({ value }) => value === text)?.value;
