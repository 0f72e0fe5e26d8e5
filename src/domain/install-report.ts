import { z } from 'zod';

const ConfigFileReportSchema = z.object({
  file: z.string(),
  status: z
    .enum(['shown', 'written', 'unchanged', 'removed'])
    .describe('shown: nothing was written; unchanged: it was there, or was not, already'),
  content: z.string().describe('what belongs in the file, in its format'),
  backup: z.string().nullable().describe('where the file is kept as it was before'),
});

export const InstallReportSchema = z
  .object({
    agent: z.string(),
    scope: z.enum(['project', 'user']),
    files: z.array(ConfigFileReportSchema),
    commands: z.array(z.string()).describe('to be typed, for what is in no file of its own'),
    notes: z.array(z.string()),
  })
  .meta({ id: 'install', title: 'What `carrel install` did' });
export type InstallReport = Readonly<z.infer<typeof InstallReportSchema>>;
export type ConfigFileReport = InstallReport['files'][number];
