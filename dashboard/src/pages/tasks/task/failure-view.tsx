import type { Failure } from '../../../../../src/domain/task/failure.js';
import { Output } from '../../../components/text/output.js';

/** Why it failed, what to do next, and the end of the output. */
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
