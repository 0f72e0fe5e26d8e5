import type { Workspace } from '../../../../src/domain/workspace.js';
import { ProblemView } from '../../components/problem-view.js';
import { useAction } from '../../server/use-action.js';
import { Link } from '../../shell/router.js';

/** Makes a workspace of a snapshot, and links to it. */
export function RestoreButton({
  snapshot,
  label,
  name,
}: {
  readonly snapshot: string;
  readonly label: string;
  /** Of the new workspace; its old one when left out. */
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
          onClick={() => start(client => client.snapshots.restore(snapshot, { name }))}
        >
          {state.step === 'busy' ? 'Restoring…' : label}
        </button>
      </div>
    </>
  );
}
