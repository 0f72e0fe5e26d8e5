import type { Task } from '../../../../../src/domain/task/task.js';

/** A weaker isolation than requested comes first. */
export function TaskWarnings({ task }: { readonly task: Task }) {
  const { requested, effective, reason } = task.isolation;
  const isLess = effective !== null && requested !== effective;
  const warnings = [...new Set([...task.warnings, ...task.stages.flatMap(stage => stage.warnings)])];
  if (!isLess && warnings.length === 0) return null;
  return (
    <section className="banner warning" aria-label="Warnings">
      {isLess && (
        <p>
          <strong>
            Isolation is {effective}; {requested} was requested.
          </strong>{' '}
          {reason}
        </p>
      )}
      {warnings.map(warning => (
        <p key={warning}>{warning}</p>
      ))}
    </section>
  );
}
