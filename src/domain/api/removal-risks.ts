import { z } from 'zod';
import { RiskSchema } from '../report/result.js';

/** What removing a workspace would lose, requested before the removal. */
export const RemovalRisksSchema = z
  .object({ id: z.string(), name: z.string(), path: z.string(), risks: z.array(RiskSchema) })
  .meta({ id: 'removal-risks', title: 'Risks of removing a workspace' });
export type RemovalRisks = Readonly<z.infer<typeof RemovalRisksSchema>>;
