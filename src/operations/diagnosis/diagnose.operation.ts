import { z } from 'zod';
import { requestObject } from '../../domain/api/request-object.js';
import { type DoctorReport, DoctorReportSchema } from '../../domain/report/result.js';
import { defineOperation, type OperationCall } from '../operation.js';
import { repairRecords } from '../recovery/repair.js';
import { diagnose } from './doctor.js';

const input = requestObject({
  repair: z
    .boolean()
    .optional()
    .describe(
      'first rebuild lost records of workspaces and snapshots from the repository; keeps a copy of the old records',
    ),
  deep: z
    .boolean()
    .optional()
    .describe('also verify every snapshot of the repository: hash its objects and restore it'),
  all: z.boolean().optional().describe('with --deep, verify the snapshots of all repositories'),
});
export type DiagnoseDoctorRequest = z.input<typeof input>;
export type DiagnoseDoctorAnswer = DoctorReport;

export const diagnoseDoctorOperation = defineOperation({
  noun: 'doctor',
  verb: 'diagnose',
  call: 'doctor',
  summary: 'Check this machine and this repository',
  input,
  output: DoctorReportSchema,
  effects: 'reads',
  commandLine: { command: 'doctor', group: 'Set up', arguments: [], prints: { by: 'its command' } },
  http: {
    method: 'get',
    path: '/api/doctor',
    operationId: 'diagnose',
    answer: 'the results of the checks',
    problems: [400, 404, 422],
    without: {
      repair: 'a request must not rewrite the records of the machine',
      deep: 'restoring every snapshot takes longer than a request',
      all: 'only for `deep`',
    },
    // It also works outside of a repository.
    repository: 'as it was sent',
    by: 'its route',
  },
  mcp: { not: 'the user sets up the machine' },
  run: runChecks,
});

async function runChecks(
  { context, repository, signal }: OperationCall,
  { repair, deep, all }: DiagnoseDoctorRequest,
): Promise<DoctorReport> {
  if (!repair) return diagnose(context, { repository, deep, all, signal });
  const repairs = await repairRecords(context, { repository });
  return { ...(await diagnose(context, { repository, deep, all, signal })), repairs: [...repairs] };
}
