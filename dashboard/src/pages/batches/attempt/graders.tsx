import type { Grade } from '../../../../../src/domain/batch/attempt.js';
import { Badge } from '../../../components/status/badge.js';
import { formatSpan } from '../../../components/text/amounts.js';
import { Output } from '../../../components/text/output.js';

/** The graders of the attempt, and their results. */
export function Graders({ grades }: { readonly grades: readonly Grade[] }) {
  if (grades.length === 0) return null;
  return (
    <section className="card" aria-labelledby="graders">
      <h2 id="graders">Graders</h2>
      <ul className="checks">
        {grades.map(grade => (
          <li key={`${grade.kind} ${grade.name}`}>
            <Verdict grade={grade} />
            <div>
              <p>
                <strong>{grade.name}</strong>{' '}
                <span className="minor">
                  {grade.kind} · score {grade.score}, weight {grade.weight} · {formatSpan(grade.durationMs)}
                </span>
              </p>
              {grade.error && <p className="bad-text">{grade.error}</p>}
              {grade.detail && <Output text={grade.detail} />}
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Verdict({ grade: { error, passed } }: { readonly grade: Grade }) {
  if (error !== null) return <Badge tone="warning">not graded</Badge>;
  return <Badge tone={passed ? 'good' : 'bad'}>{passed ? 'passed' : 'failed'}</Badge>;
}
