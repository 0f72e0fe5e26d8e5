import { z } from 'zod';

const ConfigFileReportSchema = z.object({
  file: z.string(),
  status: z
    .enum(['shown', 'written', 'unchanged', 'removed'])
    .describe('shown: nothing was written; unchanged: the file needed no change'),
  content: z.string().describe('the entry for the file, in its format'),
  backup: z.string().nullable().describe('path of the backup of the previous file'),
});

export const InstallReportSchema = z
  .object({
    agent: z.string(),
    scope: z.enum(['project', 'user']),
    files: z.array(ConfigFileReportSchema),
    commands: z.array(z.string()).describe('commands to run for settings that are not in a file'),
    notes: z.array(z.string()),
  })
  .meta({ id: 'install', title: 'What `carrel install` did' });
export type InstallReport = Readonly<z.infer<typeof InstallReportSchema>>;
export type ConfigFileReport = InstallReport['files'][number];
