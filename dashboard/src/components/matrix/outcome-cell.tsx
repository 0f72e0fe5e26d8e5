import type { Outcome } from '../../../../src/domain/attempt.js';
import { Link } from '../../shell/router.js';
import { lookOf } from './outcomes.js';

/** One attempt of the matrix: a mark with a colour, which opens it. */
export function OutcomeCell({
  outcome,
  href,
  name,
}: {
  readonly outcome: Outcome | undefined;
  readonly href: string;
  /** Of the attempt, for whoever hears it. */
  readonly name: string;
}) {
  const { mark, tone, label } = lookOf(outcome);
  return (
    <Link href={href} className={`outcome ${tone}`} title={label} aria-label={`${name}: ${label}`}>
      {mark}
    </Link>
  );
}
