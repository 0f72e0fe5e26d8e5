import type { Workspace } from '../../../../src/domain/workspace/workspace.js';
import { ProblemView } from '../../components/page/problem-view.js';
import { useAction } from '../../server/use-action.js';
import { Link } from '../../shell/router.js';

/** Restores a snapshot as a workspace, and links to it. */
export function RestoreButton({
  snapshot,
  label,
  name,
}: {
  readonly snapshot: string;
  readonly label: string;
  /** Name of the new workspace; the old name when left out. */
  readonly name?: string | undefined;
}) {
  const { state, start } = useAction<Workspace>();
  if (state.step === 'done')
    return (
      <p role="status">
        Restored: <Link href={`/workspaces/${state.result.id}`}>{state.result.name}</Link>
      </p>
    );
  return (
    <>
      {state.step === 'failed' && <ProblemView error={state.error} />}
      <div className="form-foot">
        <button
          type="button"
          className="primary"
          disabled={state.step === 'busy'}
          onClick={() => start(client => client.snapshots.restore(snapshot, { as: name }))}
        >
          {state.step === 'busy' ? 'Restoring…' : label}
        </button>
      </div>
    </>
  );
}
