import { requestObject } from '../../domain/api/request-object.js';
import { FleetStatusSchema } from '../../domain/fleet/fleet-report.js';
import { defineOperation } from '../../operations/operation.js';
import { type FleetStatus, readFleetStatus } from './fleet-status.js';

export type ShowFleetAnswer = FleetStatus;

export const showFleet = defineOperation({
  noun: 'fleet',
  verb: 'status',
  summary: 'Show the hosts and the runs of the fleet',
  input: requestObject({}),
  output: FleetStatusSchema,
  effects: 'reads',
  commandLine: { not: '`carrel fleet ls` shows the fleet that --on names' },
  http: {
    method: 'get',
    path: '/api/fleet',
    operationId: 'showFleet',
    answer: 'hosts and runs, at most two seconds old',
    problems: [400, 404, 503],
    repository: 'none',
    by: 'its route',
  },
  mcp: { not: 'the user decides which machines do the work' },
  run: ({ context }) => readFleetStatus(context),
});
