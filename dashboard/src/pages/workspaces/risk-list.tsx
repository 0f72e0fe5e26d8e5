import type { RemovalFlag } from '../../../../src/domain/risk.js';
import { visibleText } from '../../components/visible-text.js';
import { consentText, type RiskGroup, type ShownRisk } from './accepted-risks.js';

/** Files that are named one by one; the others are counted. */
const MOST_ITEMS = 12;

export interface RiskListProperties {
  readonly groups: readonly RiskGroup[];
  readonly accepted: ReadonlySet<RemovalFlag>;
  readonly onChange: (accepted: ReadonlySet<RemovalFlag>) => void;
}

export function RiskList({ groups, accepted, onChange }: RiskListProperties) {
  if (groups.length === 0) return <p>Nothing speaks against it: all of its work is elsewhere, too.</p>;
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
              <strong>This can not be accepted.</strong>
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

/** What the items of these kinds are. The other kinds say all in their message. */
const TITLES: Readonly<Record<string, string>> = {
  changes: 'Uncommitted changes',
  untracked: 'Untracked files',
  conflicted: 'Unsettled conflicts',
  'hidden-changes': 'Changes that git was told not to look at',
  submodule: 'Submodules with work of their own',
  'nested-repository': 'Nested repositories',
  'large-ignored': 'Ignored files that are too large for a snapshot',
  commits: 'Commits that are not landed',
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
