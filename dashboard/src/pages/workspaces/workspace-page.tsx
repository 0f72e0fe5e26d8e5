import { useState } from 'react';
import { ProblemError } from '../../../../src/client/problem-error.js';
import type { WorkspaceDetails } from '../../../../src/domain/workspace.js';
import { AnswerView } from '../../components/answer-view.js';
import { EmptyState } from '../../components/empty-state.js';
import { PageHead } from '../../components/page-head.js';
import { useAnswer } from '../../server/use-answer.js';
import type { PageProperties } from '../../shell/page.js';
import { Link, navigate } from '../../shell/router.js';
import { LandDialog } from './land-dialog.js';
import { RemoveDialog } from './remove-dialog.js';
import { SnapshotButton } from './snapshot-button.js';
import { WorkspaceDiff } from './workspace-diff.js';
import { WorkspaceFacts } from './workspace-facts.js';
import { WorkspaceWarnings } from './workspace-warnings.js';

/** Files change without an event. */
const EVERY_MS = 10_000;
const NOT_FOUND = 404;

export function WorkspacePage({ parameters }: PageProperties) {
  const id = parameters.id ?? '';
  const answer = useAnswer({
    key: `workspace ${id}`,
    load: (client, signal) => client.workspaces.show(id, { signal }),
    changesWith: event => event.workspaceId === id,
    everyMs: EVERY_MS,
  });
  const isGone = answer.error instanceof ProblemError && answer.error.status === NOT_FOUND;
  if (isGone && !answer.data) return <GoneWorkspace />;
  // What is gone by our own doing is told by the dialog that did it.
  const shown = isGone ? { ...answer, error: undefined } : answer;
  return (
    <>
      {!answer.data && <PageHead title="Workspace" />}
      <AnswerView answer={shown}>
        {workspace => <WorkspaceView workspace={workspace} isGone={isGone} />}
      </AnswerView>
    </>
  );
}

function GoneWorkspace() {
  return (
    <>
      <PageHead title="Workspace" />
      <EmptyState title="There is no such workspace, or no longer">
        What was removed can be restored from its <Link href="/snapshots">snapshot</Link>. Back to{' '}
        <Link href="/workspaces">all workspaces</Link>.
      </EmptyState>
    </>
  );
}

function WorkspaceView({
  workspace,
  isGone,
}: {
  readonly workspace: WorkspaceDetails;
  readonly isGone: boolean;
}) {
  const [open, setOpen] = useState<'land' | 'remove'>();
  const close = () => {
    setOpen(undefined);
    if (isGone) navigate('/workspaces');
  };
  return (
    <>
      <PageHead title={workspace.name} note={<span className="path">{workspace.path}</span>}>
        <SnapshotButton id={workspace.id} />
        <button type="button" disabled={workspace.branch === null} onClick={() => setOpen('land')}>
          Land…
        </button>
        <button type="button" className="danger" onClick={() => setOpen('remove')}>
          Remove…
        </button>
      </PageHead>
      {isGone && <p className="banner warning">This workspace is gone; its snapshot is kept.</p>}
      <WorkspaceWarnings workspace={workspace} />
      <WorkspaceFacts workspace={workspace} />
      {!isGone && workspace.status === 'ready' && <WorkspaceDiff workspace={workspace} />}
      {open === 'land' && <LandDialog workspace={workspace} onClose={close} />}
      {open === 'remove' && <RemoveDialog workspace={workspace} onClose={close} />}
    </>
  );
}
