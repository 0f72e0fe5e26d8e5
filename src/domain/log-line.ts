import { z } from 'zod';

/** One line of a task's log, as it is kept on disk (JSON Lines) and shown. */
export const LogLineSchema = z
  .object({
    at: z.iso.datetime(),
    stage: z.string().nullable().describe('null for what is about the task as a whole'),
    attempt: z.int().describe('from 1 on; 0 for what is about no attempt'),
    stream: z
      .enum(['stdout', 'stderr', 'activity', 'carrel'])
      .describe(
        'stdout and stderr: what a command printed; activity: what an agent says that it does; carrel: what Carrel does',
      ),
    text: z
      .string()
      .describe("without the line's end; may hold control characters: whoever shows it takes them out"),
    isForPrograms: z
      .boolean()
      .optional()
      .describe('true for output that programs read, such as JSON; what matters of it is told as activity'),
  })
  .meta({ id: 'log-line', title: 'Line of a log' });
export type LogLine = Readonly<z.infer<typeof LogLineSchema>>;
