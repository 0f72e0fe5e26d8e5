import type { Failure } from '../../../../src/domain/failure.js';
import { plainText } from '../../components/visible-text.js';

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

/** The end of what a command printed. */
export function Output({ text }: { readonly text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to be reached with the keyboard.
    <section className="output" tabIndex={0} aria-label="Output">
      <pre>{text.split('\n').map(plainText).join('\n')}</pre>
    </section>
  );
}
