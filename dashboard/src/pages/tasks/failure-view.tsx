import type { Failure } from '../../../../src/domain/failure.js';
import { Output } from '../../components/output.js';

/** Why it failed, what to do next, and the end of what was printed. */
export function FailureView({ failure }: { readonly failure: Failure }) {
  const { kind, stage, message, hint, output } = failure;
  return (
    <section className="problem" aria-label="Failure">
      <p>
        <strong>
          {stage && `${stage}: `}
          {message}
        </strong>
      </p>
      {hint && <p>{hint}</p>}
      {output && <Output text={output} />}
      <p className="problem-foot">
        <code>{kind}</code>
      </p>
    </section>
  );
}
