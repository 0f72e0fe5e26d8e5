import { z } from 'zod';

/** One line of a task's log, as it is kept on disk (JSON Lines) and shown. */
export const LogLineSchema = z
  .object({
    at: z.iso.datetime(),
    stage: z.string().nullable().describe('null for what is about the task as a whole'),
    attempt: z.int().describe('from 1 on; 0 for what is about no attempt'),
    stream: z
      .enum(['stdout', 'stderr', 'carrel'])
      .describe('carrel tells what Carrel does; the others are what a command printed'),
    text: z
      .string()
      .describe("without the line's end; may hold control characters: whoever shows it takes them out"),
  })
  .meta({ id: 'log-line', title: 'Line of a log' });
export type LogLine = Readonly<z.infer<typeof LogLineSchema>>;
