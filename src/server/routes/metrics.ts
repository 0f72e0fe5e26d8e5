import { createRoute } from '@hono/zod-openapi';
import { TASK_STATUSES } from '../../domain/task-status.js';
import type { Api } from '../api.js';
import type { Gate } from '../gate.js';
import { describeMetric, formatGauge } from '../metrics.js';
import { textAnswer } from '../route-answers.js';
import type { ServerContext } from '../server-context.js';

const metricsRoute = createRoute({
  method: 'get',
  path: '/metrics',
  operationId: 'metrics',
  tags: ['server'],
  summary: 'Show what the server counts, in the text format of Prometheus',
  responses: { 200: textAnswer('text/plain', 'the numbers') },
});

export function addMetricsRoute(api: Api, server: ServerContext, gate: Gate): void {
  api.openapi(metricsRoute, async c => {
    const lines = [...gate.metrics.format(), ...(await countRecords(server)), ...countStreams(server, gate)];
    return c.text(`${lines.join('\n')}\n`, 200);
  });
}

async function countRecords({ app }: ServerContext): Promise<string[]> {
  const [tasks, workspaces] = await Promise.all([app.store.tasks.list(), app.store.workspaces.list()]);
  const countOf = (status: string) => tasks.filter(task => task.status === status).length;
  return [
    ...describeMetric('carrel_tasks', 'gauge', 'Tasks by their status.'),
    ...TASK_STATUSES.map(status => `carrel_tasks{status="${status}"} ${countOf(status)}`),
    ...formatGauge('carrel_workspaces', 'Workspaces of all repositories.', workspaces.length),
  ];
}

const countStreams = ({ events }: ServerContext, { streams }: Gate): string[] => [
  ...formatGauge('carrel_streams', 'Streams that are open.', streams.count),
  ...formatGauge('carrel_event_listeners', 'Streams that wait for events.', events.listeners),
];
