import type { RouteConfig, z } from '@hono/zod-openapi';
import type { OperationCall } from '../../../operations/operation.js';
import type { ApiContext } from '../api.js';
import { answerBatch, describeBatch } from '../batches/answer-show.js';
import { answerPatch, answerReport } from '../batches/batch-answers.js';
import { answerResume } from '../batches/resume-batch.js';
import { answerStart } from '../batches/start-batch.js';
import { answerFleetStatus } from '../fleet/answer-status.js';
import type { ServerContext } from '../server-context.js';
import { idempotencyHeader } from '../stories/idempotency.js';
import { answerCreate } from '../tasks/answer-create.js';
import { answerApprove, answerReject } from '../tasks/answer-decision.js';
import { answerDiff } from '../tasks/answer-diff.js';
import { answerList } from '../tasks/answer-list.js';
import { answerLog, describeLog } from '../tasks/answer-log.js';
import { answerRetry } from '../tasks/answer-retry.js';
import { answerWorkspaceDiff, answerWorkspaceList } from '../workspaces/workspace-answers.js';
import { answerConfig, answerDoctor } from './answer-settings.js';

/** A request for an operation, checked: its repository is allowed, and what it works on exists. */
export interface OperationRequest {
  readonly call: OperationCall;
  readonly input: Readonly<Record<string, unknown>>;
}

export type Answer = (request: OperationRequest, c: ApiContext) => Promise<Response>;

/** The operations that declare `by: 'its route'`, with what answers them. */
export const ownAnswers: Readonly<Record<string, (server: ServerContext) => Answer>> = {
  'batch.patch': answerPatch,
  'batch.report': answerReport,
  'batch.resume': answerResume,
  'batch.show': answerBatch,
  'batch.start': answerStart,
  'config.show': answerConfig,
  'doctor.diagnose': answerDoctor,
  'fleet.status': answerFleetStatus,
  'task.approve': answerApprove,
  'task.create': answerCreate,
  'task.list': answerList,
  'task.reject': answerReject,
  'task.retry': answerRetry,
  'task.diff': answerDiff,
  'task.log': answerLog,
  'workspace.list': answerWorkspaceList,
  'workspace.diff': answerWorkspaceDiff,
};

/** What an own answer adds to the document. */
export interface OwnDescription {
  readonly description?: string;
  readonly headers?: z.ZodObject;
  /** Instead of JSON alone. */
  readonly content?: Readonly<Record<string, { readonly schema: z.ZodType }>>;
  /** Besides the declared one, or instead of it. */
  readonly answers?: RouteConfig['responses'];
}

export const ownDescriptions: Readonly<Record<string, OwnDescription>> = {
  'batch.show': describeBatch,
  'task.create': { headers: idempotencyHeader },
  'task.log': describeLog,
};
