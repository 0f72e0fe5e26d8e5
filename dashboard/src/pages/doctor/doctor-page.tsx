import type { DoctorReport } from '../../../../src/domain/report/result.js';
import { RepositoryField, useRepository } from '../../components/field/repository-field.js';
import { AnswerView } from '../../components/page/answer-view.js';
import { PageHead } from '../../components/page/page-head.js';
import { Badge, type Tone } from '../../components/status/badge.js';
import { useAnswer } from '../../server/use-answer.js';

type Check = DoctorReport['checks'][number];

export function DoctorPage() {
  const repository = useRepository();
  const answer = useAnswer({
    key: `doctor ${repository}`,
    load: (client, signal) => client.doctor({ repository, signal }),
  });
  return (
    <>
      <PageHead title="Doctor" note="What Carrel needs on this machine, and whether it works.">
        <RepositoryField />
        <button type="button" disabled={answer.isLoading} onClick={answer.refresh}>
          Check again
        </button>
      </PageHead>
      <AnswerView answer={answer}>
        {({ healthy, checks }) => (
          <>
            <p role="status" className={healthy ? 'banner good' : 'banner bad'}>
              {healthy ? 'Everything works.' : 'Something needs your attention.'}
            </p>
            <Checks checks={checks} />
          </>
        )}
      </AnswerView>
    </>
  );
}

const ORDER = ['problem', 'warning', 'absent', 'ok'] as const;
const TONES: Readonly<Record<Check['status'], Tone>> = {
  ok: 'good',
  warning: 'warning',
  problem: 'bad',
  absent: 'neutral',
};

/** Problems come first. */
function Checks({ checks }: { readonly checks: readonly Check[] }) {
  const sorted = checks.toSorted((a, b) => ORDER.indexOf(a.status) - ORDER.indexOf(b.status));
  return (
    <ul className="checks card">
      {sorted.map(({ name, status, message, hint }) => (
        <li key={`${name} ${message}`}>
          <Badge tone={TONES[status]}>{status}</Badge>
          <div>
            <p>
              <strong>{name}</strong> {message}
            </p>
            {hint && <p className="hint">{hint}</p>}
          </div>
        </li>
      ))}
    </ul>
  );
}
