import type { RemovalResult } from '../../../../../src/domain/report/result.js';
import { formatOmitted } from '../../../../../src/domain/snapshot/omitted-files.js';
import { Facts } from '../../../components/page/facts.js';
import { RestoreButton } from '../../snapshots/restore-button.js';

/** What was removed, and how to restore it. */
export function RemovalReport({ result }: { readonly result: RemovalResult }) {
  const { snapshot, omitted, keptFiles, deletedBranch, keptBranch, stopped, warnings } = result;
  return (
    <>
      <p role="status">
        {keptFiles
          ? 'Carrel removed its record of the directory; the files are unchanged.'
          : 'The workspace was removed.'}
      </p>
      <Facts
        of={[
          ['Snapshot', snapshot === null ? undefined : <code key="snapshot">{snapshot}</code>],
          ['Not in the snapshot', omitted.length > 0 ? formatOmitted(omitted) : undefined],
          ['Branch deleted', deletedBranch ?? undefined],
          ['Branch kept', keptBranch ?? undefined],
          ['Stopped', stopped.length > 0 ? `processes ${stopped.join(', ')}` : undefined],
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
