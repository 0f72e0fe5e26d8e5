import type { LandResult } from '../../../../src/domain/result.js';
import { countOf, shortCommit } from '../../components/amounts.js';
import { Facts } from '../../components/facts.js';
import { RemovalReport } from './removal-report.js';

export function LandReport({ result }: { readonly result: LandResult }) {
  const { into, strategy, before, after, commits, updatedCheckouts, removed, warnings } = result;
  return (
    <>
      <p role="status">
        {countOf(commits, 'commit')} landed on <strong>{into}</strong>.
      </p>
      <Facts
        of={[
          ['Strategy', strategy],
          ['From', <code key="before">{shortCommit(before)}</code>],
          ['To', <code key="after">{shortCommit(after)}</code>],
          ['Checkouts brought along', updatedCheckouts.length > 0 ? updatedCheckouts.join(', ') : undefined],
        ]}
      />
      {warnings.map(warning => (
        <p key={warning} className="banner warning">
          {warning}
        </p>
      ))}
      {removed && <RemovalReport result={removed} />}
    </>
  );
}
