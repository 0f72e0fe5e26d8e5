import type { LandResult } from '../../../../../src/domain/report/result.js';
import { AutorunFiles } from '../../../components/page/autorun-files.js';
import { Facts } from '../../../components/page/facts.js';
import { countOf, shortCommit } from '../../../components/text/amounts.js';
import { RemovalReport } from '../removal/removal-report.js';

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
          ['Updated checkouts', updatedCheckouts.length > 0 ? updatedCheckouts.join(', ') : undefined],
        ]}
      />
      <AutorunFiles files={result.autorunFiles} />
      {warnings.map(warning => (
        <p key={warning} className="banner warning">
          {warning}
        </p>
      ))}
      {removed && <RemovalReport result={removed} />}
    </>
  );
}
