import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { type BytePath, toFsPath } from './byte-path.js';

/** SHA-256 of a file's content, in hex. */
export async function hashContent(root: string, path: BytePath): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(toFsPath(root, path)), hash);
  return hash.digest('hex');
}
