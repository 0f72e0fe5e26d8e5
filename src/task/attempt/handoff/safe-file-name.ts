import { createHash } from 'node:crypto';

/** Lower case only: on macOS two names that differ in case are one file. */
const SAFE = /^[a-z0-9][a-z0-9_-]{0,39}$/;

/**
 * A file name for any text, such as the name of a stage: the text itself when it is a plain word, otherwise its safe characters
 * with a hash, so that two different texts never share a file.
 */
export function safeFileName(text: string): string {
  if (SAFE.test(text)) return text;
  const plain = text
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, '-')
    .slice(0, 40)
    .replaceAll(/^-+|-+$/g, '');
  const fingerprint = createHash('sha256').update(text).digest('hex').slice(0, 8);
  return plain === '' ? fingerprint : `${plain}-${fingerprint}`;
}
