import type { Usage } from '../../../../../src/domain/agent/usage.js';
import type { Task } from '../../../../../src/domain/task/task.js';
import { Facts } from '../../../components/page/facts.js';
import { Isolation } from '../../../components/status/isolation.js';
import { Age } from '../../../components/text/age.js';
import { countOf, formatCost, shortCommit } from '../../../components/text/amounts.js';
import { Link } from '../../../shell/router.js';
import { TaskDuration } from '../task-duration.js';

export function TaskFacts({ task }: { readonly task: Task }) {
  const { usage, landed, published, runs } = task;
  return (
    <section className="card" aria-label="Facts">
      <Facts
        of={[
          ['Isolation', <Isolation key="isolation" {...task.isolation} />],
          ['Workspace', <Workspace key="workspace" task={task} />],
          ['Fleet', fleetText(task)],
          ['Repository', <Path key="repository" of={task.repository} />],
          ['Workflow', task.workflow],
          ['Agent', task.agent ?? undefined],
          ['Branch', task.branch ?? undefined],
          ['Commits', commitsText(task)],
          ['Time', <TaskDuration key="time" task={task} />],
          ['Runs', runs.length > 1 ? countOf(runs.length, 'run') : undefined],
          ['Cost', usage.costUsd === null ? 'unknown' : formatCost(usage.costUsd)],
          ['Tokens', tokensText(usage)],
          ['Landed', landed ? `on ${landed.into} at ${shortCommit(landed.commit)}` : undefined],
          ['Published', published ? (published.pullRequest ?? `to ${published.remote}`) : undefined],
          ['Priority', task.priority === 0 ? undefined : String(task.priority)],
          ['Created', <Age key="created" at={task.createdAt} />],
          ['Ended', task.endedAt ? <Age key="ended" at={task.endedAt} /> : undefined],
        ]}
      />
    </section>
  );
}

function Workspace({ task }: { readonly task: Task }) {
  const { workspaceId, workspaceName, workspaceKept, fleet } = task;
  if (fleet) return fleet.host === null ? 'waits for a worker' : `on the worker ${fleet.host}`;
  if (workspaceId === null) return 'not created yet';
  if (!workspaceKept) return `${workspaceName} (removed)`;
  return <Link href={`/workspaces/${workspaceId}`}>{workspaceName}</Link>;
}

const Path = ({ of }: { readonly of: string }) => <span className="path">{of}</span>;

function fleetText({ fleet }: Task): string | undefined {
  if (!fleet) return undefined;
  return fleet.run === null ? fleet.name : `${fleet.name}, ${fleet.run}`;
}

function commitsText({ base, head }: Task): string | undefined {
  if (base === null) return undefined;
  if (head === null || head === base) return `at ${shortCommit(base)}`;
  return `${shortCommit(base)} to ${shortCommit(head)}`;
}

function tokensText({ inputTokens, outputTokens }: Usage): string | undefined {
  if (inputTokens + outputTokens === 0) return undefined;
  return `${inputTokens.toLocaleString('en')} read, ${outputTokens.toLocaleString('en')} written`;
}
