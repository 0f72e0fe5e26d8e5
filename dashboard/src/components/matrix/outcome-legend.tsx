import type { Outcome } from '../../../../src/domain/batch/attempt.js';
import { lookOf, NO_OUTCOME, OUTCOME_LOOKS } from './outcomes.js';

/** The meaning of the marks, and the count of each. */
export function OutcomeLegend({
  outcomes,
  planned,
}: {
  readonly outcomes: readonly Outcome[];
  readonly planned: number;
}) {
  const looks = outcomes.map(lookOf);
  const shown = [...Object.values(OUTCOME_LOOKS), NO_OUTCOME].flatMap(look => {
    const count = look === NO_OUTCOME ? planned - looks.length : looks.filter(each => each === look).length;
    return count > 0 ? [{ ...look, count }] : [];
  });
  return (
    <ul className="legend" aria-label="Outcomes">
      {shown.map(({ mark, tone, label, count }) => (
        <li key={label}>
          <span className={`outcome ${tone}`} aria-hidden="true">
            {mark}
          </span>
          {label}: {count}
        </li>
      ))}
    </ul>
  );
}
