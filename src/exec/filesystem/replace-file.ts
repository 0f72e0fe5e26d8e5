import { randomBytes } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';

/**
 * Readers see the old or the new text, never a part. Each call writes its own draft: two calls that shared one mixed
 * their texts, and the slower one found its draft gone (observed).
 */
export async function replaceFile(file: string, text: string, mode?: number): Promise<void> {
  await replaceBy(file, draft => writeFile(draft, text, { flag: 'wx', mode }));
}

/** The same for a file that `write` creates at the path it is given. */
export async function replaceBy(file: string, write: (draft: string) => Promise<void>): Promise<void> {
  const draft = `${file}.${randomBytes(6).toString('hex')}.carrel`;
  try {
    await write(draft);
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    throw error;
  }
}
