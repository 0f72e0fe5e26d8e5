import { z } from 'zod';

export const NetworkReportSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    allow: z.array(z.string()).describe('the hosts that commands in its sandbox may reach now'),
    added: z.array(z.string()),
    removed: z.array(z.string()),
    warnings: z.array(z.string()),
  })
  .meta({ id: 'network-report', title: 'What the sandbox of a workspace may reach' });
/** The allowlist of a workspace's sandbox, and what was changed. */
export type NetworkReport = z.infer<typeof NetworkReportSchema>;
