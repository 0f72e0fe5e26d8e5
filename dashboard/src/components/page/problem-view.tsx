import { ProblemError } from '../../../../src/surfaces/client/problem-error.js';

/** The problem and what to do next. */
export function ProblemView({
  error,
  onRetry,
}: {
  readonly error: Error;
  readonly onRetry?: (() => void) | undefined;
}) {
  const problem = error instanceof ProblemError ? error : undefined;
  return (
    <div className="problem" role="alert">
      <p>
        <strong>{error.message}</strong>
      </p>
      {problem?.hint && <p>{problem.hint}</p>}
      <p className="problem-foot">
        {onRetry && (
          <button type="button" onClick={onRetry}>
            Try again
          </button>
        )}
        {problem && <code>{problem.code}</code>}
      </p>
    </div>
  );
}
