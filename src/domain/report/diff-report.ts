import { z } from 'zod';
import { AutorunFileSchema } from '../workspace/autorun-file.js';

export const DiffFormatSchema = z.enum(['patch', 'stat', 'name-only']);

export const DiffReportSchema = z
  .object({
    format: DiffFormatSchema,
    encoding: z.enum(['utf-8', 'base64']).describe('encoding of `diff`; base64 when the patch is not UTF-8'),
    diff: z.string(),
    skipped: z.array(z.string()).describe('files that a patch cannot contain'),
    autorunFiles: z.array(AutorunFileSchema).describe('added or changed files that tools run automatically'),
  })
  .meta({ id: 'diff', title: 'What changed in a workspace' });
/** The changes in a workspace, as one text. */
export type DiffReport = z.infer<typeof DiffReportSchema>;

/** JSON holds text only, and a patch of files that are not UTF-8 is not text. */
export function encodeDiff(bytes: Buffer): Pick<DiffReport, 'encoding' | 'diff'> {
  const text = bytes.toString('utf8');
  const isText = Buffer.from(text, 'utf8').equals(bytes);
  return isText ? { encoding: 'utf-8', diff: text } : { encoding: 'base64', diff: bytes.toString('base64') };
}
