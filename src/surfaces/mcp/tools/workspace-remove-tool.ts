import { z } from 'zod';
import { type CarrelError, isCarrelError } from '../../../domain/error/error.js';
import { RemovalResultSchema, RiskSchema } from '../../../domain/report/result.js';
import type { AcceptedRisks, RemovalFlag, Risk } from '../../../domain/workspace/risk.js';
import { removeWorkspace } from '../../../operations/removal/down.js';
import { defineOwnTool } from './own-tool.js';

const RefusalSchema = z.object({
  message: z.string(),
  hint: z.string(),
  risks: z.array(
    RiskSchema.extend({
      acceptedBy: z
        .string()
        .nullable()
        .describe('the argument of this tool that accepts this risk; null if there is none'),
    }),
  ),
});

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

const ARGUMENTS: Readonly<Record<RemovalFlag, keyof AcceptedRisks>> = {
  '--discard-changes': 'discardChanges',
  '--discard-commits': 'discardCommits',
  '--stop-processes': 'stopProcesses',
  '--break-lease': 'breakLease',
};

function describeRefusal({ message, details }: CarrelError): z.input<typeof RefusalSchema> {
  const risks = details.risks as readonly Risk[];
  return {
    message,
    hint: 'land or commit what is worth keeping, or ask the user which of these may be lost',
    risks: risks.map(risk => ({
      ...risk,
      items: [...risk.items],
      acceptedBy: risk.flag && ARGUMENTS[risk.flag],
    })),
  };
}
