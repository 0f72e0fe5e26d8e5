import type { Alert } from '../../../../src/domain/api/overview.js';

/** What needs attention, worst first. */
export function Alerts({ alerts }: { readonly alerts: readonly Alert[] }) {
  if (alerts.length === 0) return null;
  const worstFirst = alerts.toSorted((a, b) => Number(b.level === 'problem') - Number(a.level === 'problem'));
  return (
    <section className="card wide" aria-labelledby="alerts">
      <h2 id="alerts">Alerts</h2>
      <ul className="alerts" aria-live="polite">
        {worstFirst.map(({ level, message, hint }) => (
          <li key={message} className={`alert ${level === 'problem' ? 'bad' : 'warning'}`}>
            <span className="alert-level">{level}</span>
            <div>
              <p>{message}</p>
              {hint && <p className="hint">{hint}</p>}
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
