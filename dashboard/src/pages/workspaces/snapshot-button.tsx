import type { Snapshot } from '../../../../src/domain/snapshot/snapshot.js';
import { useAction } from '../../server/use-action.js';

/** Takes a snapshot now; the workspace does not change. */
export function SnapshotButton({ id }: { readonly id: string }) {
  const { state, start } = useAction<Snapshot>();
  return (
    <>
      <span role="status" className="minor">
        {state.step === 'done' && `Taken: ${state.result.id}`}
        {state.step === 'failed' && state.error.message}
      </span>
      <button
        type="button"
        disabled={state.step === 'busy'}
        onClick={() => start(client => client.workspaces.snapshot(id))}
      >
        {state.step === 'busy' ? 'Taking a snapshot…' : 'Snapshot'}
      </button>
    </>
  );
}
