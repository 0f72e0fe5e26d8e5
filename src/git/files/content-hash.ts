import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { type BytePath, toFsPath } from '../byte-path.js';
import { READ_WITHOUT_FOLLOWING } from './pinned-file.js';

/** SHA-256 of a regular file's content, in hex. A link in its place is an error (ELOOP). */
export async function hashContent(root: string, path: BytePath): Promise<string> {
  const hash = createHash('sha256');
  const file = await open(toFsPath(root, path), READ_WITHOUT_FOLLOWING);
  await pipeline(file.createReadStream(), hash);
  return hash.digest('hex');
}
