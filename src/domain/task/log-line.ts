import { z } from 'zod';

/** One line of a task's log, as it is kept on disk (JSON Lines) and shown. */
export const LogLineSchema = z
  .object({
    at: z.iso.datetime(),
    stage: z.string().nullable().describe('null for lines about the whole task'),
    attempt: z.int().describe('counts from 1; 0 for lines about no attempt'),
    stream: z
      .enum(['stdout', 'stderr', 'activity', 'carrel'])
      .describe(
        'stdout and stderr: output of a command; activity: what an agent reports; carrel: what Carrel does',
      ),
    text: z
      .string()
      .describe(
        'without the line break; may contain control characters, which clients must remove before display',
      ),
    isForPrograms: z
      .boolean()
      .optional()
      .describe(
        'true for machine-readable output such as JSON; the important parts are repeated as activity',
      ),
  })
  .meta({ id: 'log-line', title: 'Line of a log' });
/** One line of the log of a task. */
export type LogLine = Readonly<z.infer<typeof LogLineSchema>>;
