import { useState } from 'react';
import type { WorkspacePage as ShownWorkspace } from '../../../../src/domain/report/workspace-page.js';
import { ProblemError } from '../../../../src/surfaces/client/problem-error.js';
import { AnswerView } from '../../components/page/answer-view.js';
import { AutorunFiles } from '../../components/page/autorun-files.js';
import { EmptyState } from '../../components/page/empty-state.js';
import { PageHead } from '../../components/page/page-head.js';
import { useAnswer } from '../../server/use-answer.js';
import type { PageProperties } from '../../shell/page.js';
import { Link, navigate } from '../../shell/router.js';
import { LandDialog } from './landing/land-dialog.js';
import { RemoveDialog } from './removal/remove-dialog.js';
import { RenameDialog } from './rename-dialog.js';
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
  // The dialog that removed the workspace reports the removal.
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
      <EmptyState title="This workspace does not exist">
        A removed workspace can be restored from its <Link href="/snapshots">snapshot</Link>. Back to{' '}
        <Link href="/workspaces">all workspaces</Link>.
      </EmptyState>
    </>
  );
}

function WorkspaceView({
  workspace,
  isGone,
}: {
  readonly workspace: ShownWorkspace;
  readonly isGone: boolean;
}) {
  const [open, setOpen] = useState<'land' | 'rename' | 'remove'>();
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
        <button type="button" onClick={() => setOpen('rename')}>
          Rename…
        </button>
        <button type="button" className="danger" onClick={() => setOpen('remove')}>
          Remove…
        </button>
      </PageHead>
      {isGone && <p className="banner warning">This workspace was removed; its snapshot is kept.</p>}
      <WorkspaceWarnings workspace={workspace} />
      <AutorunFiles files={workspace.autorunFiles} />
      <WorkspaceFacts workspace={workspace} />
      {!isGone && workspace.status === 'ready' && <WorkspaceDiff workspace={workspace} />}
      {open === 'land' && <LandDialog workspace={workspace} onClose={close} />}
      {open === 'rename' && <RenameDialog workspace={workspace} onClose={close} />}
      {open === 'remove' && <RemoveDialog workspace={workspace} onClose={close} />}
    </>
  );
}
