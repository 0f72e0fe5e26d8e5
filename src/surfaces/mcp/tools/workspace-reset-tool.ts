import { z } from 'zod';
import { isCarrelError } from '../../../domain/error/error.js';
import { ResetResultSchema } from '../../../domain/report/reset-result.js';
import { type ResetInput, resetWorkspace } from '../../../operations/reset/reset.js';
import { describeRefusal, RefusalSchema } from './describe-refusal.js';
import { defineOwnTool } from './own-tool.js';

type ResetArguments = ResetInput['accepted'] & {
  readonly workspace: string;
  readonly setup?: boolean | undefined;
};

/** A refusal is an answer that names the arguments of the tool, not the options of the command line. */
export const answerReset = defineOwnTool({
  output: z.object({
    reset: ResetResultSchema.nullable().describe('null if the reset was refused'),
    refused: RefusalSchema.nullable().describe('null if the workspace was reset'),
  }),
  run: async ({ workspace: name, setup, ...accepted }: ResetArguments, call) => {
    const { context, directory: repository, signal } = call;
    try {
      const reset = await resetWorkspace(context, { repository, name, accepted, setup, signal });
      return { value: { reset, refused: null } };
    } catch (error) {
      if (!isCarrelError(error, 'RESET_REFUSED')) throw error;
      return { value: { reset: null, refused: describeRefusal(error) }, isRefusal: true };
    }
  },
});
