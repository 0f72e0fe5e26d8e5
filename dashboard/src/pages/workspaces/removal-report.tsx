import type { RemovalResult } from '../../../../src/domain/result.js';
import { Facts } from '../../components/facts.js';
import { RestoreButton } from '../snapshots/restore-button.js';

/** What was removed, and the way back. */
export function RemovalReport({ result }: { readonly result: RemovalResult }) {
  const { snapshot, keptFiles, deletedBranch, keptBranch, stopped, warnings } = result;
  return (
    <>
      <p role="status">
        {keptFiles
          ? 'Carrel has forgotten the directory; its files are where they were.'
          : 'The workspace is removed.'}
      </p>
      <Facts
        of={[
          ['Snapshot', snapshot === null ? undefined : <code key="snapshot">{snapshot}</code>],
          ['Branch deleted', deletedBranch ?? undefined],
          ['Branch kept', keptBranch ?? undefined],
          ['Ended', stopped.length > 0 ? `processes ${stopped.join(', ')}` : undefined],
        ]}
      />
      {warnings.map(warning => (
        <p key={warning} className="banner warning">
          {warning}
        </p>
      ))}
      {snapshot !== null && <RestoreButton snapshot={snapshot} label="Undo" />}
    </>
  );
}
