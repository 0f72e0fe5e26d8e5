import { z } from 'zod';
import { type CarrelError, isCarrelError } from '../../domain/error.js';
import { RemovalResultSchema, RiskSchema } from '../../domain/result.js';
import type { AcceptedRisks, RemovalFlag, Risk } from '../../domain/risk.js';
import { removeWorkspace } from '../../operations/down.js';
import { requireOwnWorkspace } from '../own.js';
import { defineTool } from '../tool.js';
import { workspaceWord } from '../words.js';

const accepts = (what: string) => z.boolean().default(false).describe(`only when the user said so: ${what}`);

const RefusalSchema = z.object({
  message: z.string(),
  hint: z.string(),
  risks: z.array(
    RiskSchema.extend({
      acceptedBy: z
        .string()
        .nullable()
        .describe('the argument of this tool that accepts this risk; null when none does'),
    }),
  ),
});

export const workspaceRemove = defineTool({
  name: 'workspace_remove',
  title: 'Remove a workspace',
  description:
    'Removes a workspace when nothing can be lost by it. Otherwise it is left as it is, and the answer says what would be lost and which argument accepts that. What is discarded is kept in a snapshot, which workspace_restore brings back.',
  input: z.object({
    workspace: workspaceWord,
    discardChanges: accepts('changes that are not committed'),
    discardCommits: accepts('commits that are nowhere else'),
    stopProcesses: accepts('processes that run in it'),
    breakLease: accepts('that somebody has leased it'),
  }),
  output: z.object({
    removed: RemovalResultSchema.nullable().describe('null when it was refused'),
    refused: RefusalSchema.nullable().describe('null when it was removed'),
  }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  changesResources: true,
  run: async ({ workspace, ...accepted }, call) => {
    const { id } = await requireOwnWorkspace(call, workspace);
    const { context, directory: repository, signal } = call;
    try {
      const removed = await removeWorkspace(context, { repository, name: id, accepted, signal });
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
