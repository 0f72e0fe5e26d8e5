import { z } from 'zod';
import type { CarrelError } from '../../../domain/error/error.js';
import { RiskSchema } from '../../../domain/report/result.js';
import type { AcceptedRisks, RemovalFlag, Risk } from '../../../domain/workspace/risk.js';

export const RefusalSchema = z.object({
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

const ARGUMENTS: Readonly<Record<RemovalFlag, keyof AcceptedRisks>> = {
  '--discard-changes': 'discardChanges',
  '--discard-commits': 'discardCommits',
  '--stop-processes': 'stopProcesses',
  '--break-lease': 'breakLease',
};

/** A refusal that names the arguments of a tool, not the options of the command line. */
export function describeRefusal({ message, details }: CarrelError): z.input<typeof RefusalSchema> {
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
