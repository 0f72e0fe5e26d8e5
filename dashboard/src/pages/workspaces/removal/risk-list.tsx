import type { RemovalFlag } from '../../../../../src/domain/workspace/risk.js';
import { visibleText } from '../../../components/text/visible-text.js';
import { consentText, type RiskGroup, type ShownRisk } from './accepted-risks.js';

/** How many files are listed; the others are counted. */
const MOST_ITEMS = 12;

export interface RiskListProperties {
  readonly groups: readonly RiskGroup[];
  readonly accepted: ReadonlySet<RemovalFlag>;
  readonly onChange: (accepted: ReadonlySet<RemovalFlag>) => void;
}

export function RiskList({ groups, accepted, onChange }: RiskListProperties) {
  if (groups.length === 0) return <p>No risks: all of its work exists elsewhere too.</p>;
  const change = (flag: RemovalFlag, isAccepted: boolean) => {
    const flags = new Set(accepted);
    if (isAccepted) flags.add(flag);
    else flags.delete(flag);
    onChange(flags);
  };
  return (
    <ul className="risks">
      {groups.map(({ flag, risks }) => (
        <li key={flag ?? 'none'} className={flag === null ? 'risk bad' : 'risk'}>
          {risks.map(risk => (
            <RiskText key={risk.kind} risk={risk} />
          ))}
          {flag === null ? (
            <p>
              <strong>This risk cannot be accepted.</strong>
            </p>
          ) : (
            <label className="check">
              <input
                type="checkbox"
                checked={accepted.has(flag)}
                onChange={({ target }) => change(flag, target.checked)}
              />
              {consentText(flag, risks)}
            </label>
          )}
        </li>
      ))}
    </ul>
  );
}

/** The headings for the items of these kinds. The other kinds have no items. */
const TITLES: Readonly<Record<string, string>> = {
  changes: 'Uncommitted changes',
  untracked: 'Untracked files',
  conflicted: 'Unresolved conflicts',
  'hidden-changes': 'Changes in files that git is set to ignore',
  submodule: 'Submodules with their own changes or commits',
  'nested-repository': 'Nested repositories',
  'large-ignored': 'Ignored files that are too large for a snapshot',
  unreachable: 'Files on a disk that may not be mounted',
  commits: 'Commits that have not landed',
  processes: 'Running processes',
};

function RiskText({ risk: { kind, message, items, advice } }: { readonly risk: ShownRisk }) {
  const title = TITLES[kind];
  return (
    <div>
      <p>
        <strong>{title ?? message}</strong>
      </p>
      {title && <RiskItems items={items} />}
      {advice && <p className="hint">{advice}</p>}
    </div>
  );
}

function RiskItems({ items }: { readonly items: readonly string[] }) {
  return (
    <ul className="risk-items">
      {items.slice(0, MOST_ITEMS).map(item => (
        <li key={item}>
          <code>{visibleText(item)}</code>
        </li>
      ))}
      {items.length > MOST_ITEMS && <li>and {items.length - MOST_ITEMS} more</li>}
    </ul>
  );
}
