import type { WorkspaceDetails } from '../../../../src/domain/workspace.js';
import { AnswerView } from '../../components/answer-view.js';
import { DiffView } from '../../components/diff/diff-view.js';
import { useAnswer } from '../../server/use-answer.js';

/** What is in the workspace and not in its base. */
export function WorkspaceDiff({ workspace }: { readonly workspace: WorkspaceDetails }) {
  const { id, changes, ahead } = workspace;
  const answer = useAnswer({
    // Another count is another diff; edits that keep it show when the page is opened again or by the button.
    key: `diff ${id} ${ahead} ${JSON.stringify(changes)}`,
    load: (client, signal) => client.workspaces.diff(id, { signal }),
    changesWith: event => event.workspaceId === id && event.type === 'workspace.command-ended',
  });
  return (
    <section className="card" aria-labelledby="diff">
      <div className="card-head">
        <h2 id="diff">Changes since the base</h2>
        <button type="button" className="quiet" onClick={answer.refresh}>
          Look again
        </button>
      </div>
      <AnswerView answer={answer}>{patch => <DiffView patch={patch} />}</AnswerView>
    </section>
  );
}
