import { useState } from 'react';
import type { Snapshot } from '../../../../src/domain/snapshot/snapshot.js';
import { Dialog } from '../../components/field/dialog.js';
import { Facts } from '../../components/page/facts.js';
import { Age } from '../../components/text/age.js';
import { formatBytes, shortCommit } from '../../components/text/amounts.js';
import { RestoreButton } from './restore-button.js';

export function RestoreDialog({
  snapshot,
  onClose,
}: {
  readonly snapshot: Snapshot;
  readonly onClose: () => void;
}) {
  const [name, setName] = useState('');
  return (
    <Dialog title={`Snapshot of ${snapshot.workspaceName}`} onClose={onClose}>
      <Facts
        of={[
          ['Id', <code key="id">{snapshot.id}</code>],
          [
            'Repository',
            <span key="repository" className="path">
              {snapshot.repository}
            </span>,
          ],
          ['Branch', snapshot.branch ?? undefined],
          ['Commit', snapshot.commit === null ? 'being taken' : shortCommit(snapshot.commit)],
          ['Files', snapshot.files],
          ['Taken', <Age key="taken" at={snapshot.createdAt} />],
          ['Kept until', <Age key="until" at={snapshot.expiresAt} />],
        ]}
      />
      <OmittedFiles omitted={snapshot.omitted} />
      <div className="form">
        <label>
          Name of the new workspace
          <input
            value={name}
            placeholder={snapshot.workspaceName}
            onChange={({ target }) => setName(target.value.trim())}
          />
        </label>
      </div>
      <RestoreButton snapshot={snapshot.id} label="Restore" name={name || undefined} />
    </Dialog>
  );
}

function OmittedFiles({ omitted }: { readonly omitted: Snapshot['omitted'] }) {
  if (omitted.length === 0) return null;
  return (
    <div className="banner warning">
      <p>Ignored files that were left out:</p>
      <ul className="risk-items">
        {omitted.map(({ path, bytes, reason }) => (
          <li key={path}>
            <code>{path}</code> {formatBytes(bytes)}, {reason}
          </li>
        ))}
      </ul>
    </div>
  );
}
