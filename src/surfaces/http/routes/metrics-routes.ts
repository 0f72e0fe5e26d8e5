import { createRoute } from '@hono/zod-openapi';
import { TASK_STATUSES } from '../../../domain/task/task-status.js';
import type { Api } from '../api.js';
import { textAnswer } from '../responses/route-responses.js';
import type { Gate } from '../security/request-gate.js';
import type { ServerContext } from '../server-context.js';

const metricsRoute = createRoute({
  method: 'get',
  path: '/metrics',
  operationId: 'metrics',
  tags: ['server'],
  summary: 'Show metrics in the text format of Prometheus',
  responses: { 200: textAnswer('text/plain', 'the metrics') },
});

export function addMetricsRoute(api: Api, { app, events }: ServerContext, { metrics, streams }: Gate): void {
  metrics.addGauges('carrel_tasks', 'Tasks by status.', 'status', async () => {
    const tasks = await app.store.tasks.list();
    const countOf = (status: string) => tasks.filter(task => task.status === status).length;
    return new Map(TASK_STATUSES.map(status => [status, countOf(status)]));
  });
  metrics.addGauge(
    'carrel_workspaces',
    'Workspaces of all repositories.',
    async () => (await app.store.workspaces.list()).length,
  );
  metrics.addGauge('carrel_streams', 'Open streams.', () => streams.count);
  metrics.addGauge('carrel_event_listeners', 'Streams that wait for events.', () => events.listeners);
  api.openapi(metricsRoute, async c => c.text(await metrics.format(), 200));
}
