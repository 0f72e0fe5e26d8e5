import { formatShare } from '../text/amounts.js';

export interface Rate {
  readonly name: string;
  readonly passed: number;
  readonly judged: number;
}

/** Shares as bars in a table, so that the figures are accessible. */
export function RateChart({ title, rates }: { readonly title: string; readonly rates: readonly Rate[] }) {
  return (
    <figure className="chart">
      <table>
        <caption>{title}</caption>
        <thead className="visually-hidden">
          <tr>
            <th scope="col">Group</th>
            <th scope="col">Share</th>
            <th scope="col">Passed of graded</th>
          </tr>
        </thead>
        <tbody>
          {rates.map(({ name, passed, judged }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td className="chart-bar">
                <Bar share={judged === 0 ? 0 : passed / judged} />
              </td>
              <td className="chart-figure">
                {judged === 0 ? 'none graded' : `${formatShare(passed / judged)} (${passed} of ${judged})`}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  );
}

function Bar({ share }: { readonly share: number }) {
  return (
    <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
      <rect className="chart-track" width="100" height="10" />
      <rect className="chart-fill" width={100 * share} height="10" />
    </svg>
  );
}
