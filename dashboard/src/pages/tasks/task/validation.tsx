import type { ValidationResult } from '../../../../../src/domain/workflow/validation.js';
import { Badge } from '../../../components/status/badge.js';
import { formatSpan } from '../../../components/text/amounts.js';
import { Output } from '../../../components/text/output.js';

/** The expectations about the result, and the findings. */
export function Validation({ results }: { readonly results: readonly ValidationResult[] }) {
  if (results.length === 0) return null;
  const passed = results.filter(result => result.passed).length;
  return (
    <section className="card" aria-labelledby="validation">
      <h2 id="validation">
        Validation: {passed} of {results.length} passed
      </h2>
      <ul className="checks">
        {results.map(result => (
          <li key={`${result.kind} ${result.name}`}>
            <Badge tone={result.passed ? 'good' : 'bad'}>{result.passed ? 'passed' : 'failed'}</Badge>
            <div>
              <p>
                <strong>{result.name}</strong>{' '}
                <span className="minor">
                  {result.kind} · {formatSpan(result.durationMs)}
                </span>
              </p>
              {result.detail && <Detail text={result.detail} />}
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Detail({ text }: { readonly text: string }) {
  return text.includes('\n') ? <Output text={text} /> : <p className="minor">{text}</p>;
}
