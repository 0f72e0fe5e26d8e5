import { z } from 'zod';
import { isCarrelError } from '../../../domain/error/error.js';
import { RemovalResultSchema } from '../../../domain/report/result.js';
import type { AcceptedRisks } from '../../../domain/workspace/risk.js';
import { removeWorkspace } from '../../../operations/removal/down.js';
import { describeRefusal, RefusalSchema } from './describe-refusal.js';
import { defineOwnTool } from './own-tool.js';

/** A refusal is an answer that names the arguments of the tool, not the options of the command line. */
export const answerRemove = defineOwnTool({
  output: z.object({
    removed: RemovalResultSchema.nullable().describe('null if the removal was refused'),
    refused: RefusalSchema.nullable().describe('null if the workspace was removed'),
  }),
  run: async ({ workspace: name, ...accepted }: AcceptedRisks & { readonly workspace: string }, call) => {
    const { context, directory: repository, signal } = call;
    try {
      const removed = await removeWorkspace(context, { repository, name, accepted, signal });
      return { value: { removed, refused: null } };
    } catch (error) {
      if (!isCarrelError(error, 'REMOVAL_REFUSED')) throw error;
      return { value: { removed: null, refused: describeRefusal(error) }, isRefusal: true };
    }
  },
});
