import type { WorkspaceDetails } from '../../../../src/domain/workspace/workspace.js';
import { Facts } from '../../components/page/facts.js';
import { Isolation } from '../../components/status/isolation.js';
import { Age } from '../../components/text/age.js';
import { formatBytes, shortCommit } from '../../components/text/amounts.js';
import { WorkState } from './work-state.js';

export function WorkspaceFacts({ workspace }: { readonly workspace: WorkspaceDetails }) {
  const { isolation, base, lease, sandbox, sizeBytes, population, ports, repositories } = workspace;
  return (
    <section className="card" aria-label="Facts">
      <Facts
        of={[
          ['Work', <WorkState key="work" workspace={workspace} />],
          ['Isolation', <Isolation key="isolation" {...isolation} />],
          ['Network', sandbox && networkText(sandbox)],
          ['Branch', workspace.branch ?? 'none'],
          ['Base', baseText(base)],
          [
            'Repository',
            <span key="repository" className="path">
              {workspace.repository}
            </span>,
          ],
          ['Repositories', repositories && <Repositories key="repositories" of={repositories} />],
          ['Backend', [workspace.backend, population?.way].filter(Boolean).join(', ')],
          ['Runtime', workspace.runtime],
          ['Leased to', lease?.holder],
          ['Size', sizeBytes === null ? undefined : formatBytes(sizeBytes)],
          ['Ports', portsText(ports)],
          ['Created', <Age key="created" at={workspace.createdAt} />],
          ['Activity', <Age key="activity" at={workspace.lastActivityAt} />],
          ['Id', <code key="id">{workspace.id}</code>],
        ]}
      />
    </section>
  );
}

/** Of a workspace with several of them. */
function Repositories({ of }: { readonly of: NonNullable<WorkspaceDetails['repositories']> }) {
  return (
    <ul>
      {of.map(({ id, alias, path }) => (
        <li key={id}>
          {alias}: <span className="path">{path}</span>
        </li>
      ))}
    </ul>
  );
}

function networkText({ network, allow }: NonNullable<WorkspaceDetails['sandbox']>): string {
  if (network !== 'allowlist') return network;
  return allow.length === 0 ? 'allowlist (empty)' : `only ${allow.join(', ')}`;
}

function baseText({ ref, commit }: WorkspaceDetails['base']): string | undefined {
  const parts = [ref, commit && shortCommit(commit)].filter(Boolean);
  return parts.length === 0 ? undefined : parts.join(' at ');
}

function portsText(ports: readonly number[]): string | undefined {
  const [first] = ports;
  return first === undefined ? undefined : `${first} to ${ports.at(-1)}`;
}
