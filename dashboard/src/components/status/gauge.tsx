import type { Tone } from './badge.js';

export interface GaugePart {
  readonly name: string;
  readonly amount: number;
  readonly tone: Tone;
}

/** Parts of a whole as a bar. The text next to it says the same. */
export function Gauge({
  label,
  parts,
  total,
}: {
  readonly label: string;
  readonly parts: readonly GaugePart[];
  readonly total: number;
}) {
  const words = parts.map(({ name, amount }) => `${name} ${amount}`).join(', ');
  return (
    <div className="gauge" role="img" aria-label={`${label}: ${words}, of ${total}`}>
      {parts.map(
        ({ name, amount, tone }) =>
          amount > 0 && (
            <span
              key={name}
              className={`gauge-part ${tone}`}
              style={{ inlineSize: `${(100 * amount) / Math.max(total, 1)}%` }}
            />
          ),
      )}
    </div>
  );
}
