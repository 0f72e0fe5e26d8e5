import type { AutorunFile } from '../../../../src/domain/workspace/autorun-file.js';
import type { WorkspaceDetails } from '../../../../src/domain/workspace/workspace.js';
import { DiffView } from '../../components/diff/diff-view.js';
import { AnswerView } from '../../components/page/answer-view.js';
import { useAnswer } from '../../server/use-answer.js';

/** The page lists them, including the ones that git ignores. */
const TOLD_ABOVE: readonly AutorunFile[] = [];

/** The changes in the workspace since its base. */
export function WorkspaceDiff({ workspace }: { readonly workspace: WorkspaceDetails }) {
  const { id, changes, ahead } = workspace;
  const answer = useAnswer({
    // A new count reloads the diff; edits that keep the count appear when the page is reopened or refreshed.
    key: `diff ${id} ${ahead} ${JSON.stringify(changes)}`,
    load: (client, signal) => client.workspaces.diff(id, { signal }),
    changesWith: event => event.workspaceId === id && event.type === 'workspace.command-ended',
  });
  return (
    <section className="card" aria-labelledby="diff">
      <div className="card-head">
        <h2 id="diff">Changes since the base</h2>
        <button type="button" className="quiet" onClick={answer.refresh}>
          Refresh
        </button>
      </div>
      <AnswerView answer={answer}>{patch => <DiffView patch={patch} autorunFiles={TOLD_ABOVE} />}</AnswerView>
    </section>
  );
}
