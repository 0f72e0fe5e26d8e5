import type { Outcome } from '../../../../src/domain/batch/attempt.js';
import { Link } from '../../shell/router.js';
import { lookOf } from './outcomes.js';

/** One attempt of the matrix: a colored mark that opens it. */
export function OutcomeCell({
  outcome,
  href,
  name,
}: {
  readonly outcome: Outcome | undefined;
  readonly href: string;
  /** Name of the attempt, for screen readers. */
  readonly name: string;
}) {
  const { mark, tone, label } = lookOf(outcome);
  return (
    <Link href={href} className={`outcome ${tone}`} title={label} aria-label={`${name}: ${label}`}>
      {mark}
    </Link>
  );
}
