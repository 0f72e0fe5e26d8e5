import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { BytePath } from '../../git/byte-path.js';
import { readDirectory } from '../../git/files/read-directory.js';
import { createCopier } from '../../git/work-tree/foreign-copier.js';
import type { Context } from '../../operations/context.js';
import { makeEvalPlaces } from '../base/eval-places.js';

/**
 * Copies the files of an attempt to a lasting place for inspection: files, links and directories,
 * without git data. Returns the path.
 */
export async function keepFiles(context: Pick<Context, 'places'>, id: string, from: string): Promise<string> {
  const to = join((await makeEvalPlaces(context)).kept, id);
  await mkdir(to);
  const copier = createCopier(from, to);
  const pending: BytePath[] = [''];
  for (let directory = pending.pop(); directory !== undefined; directory = pending.pop()) {
    for (const { path, name, stats } of readDirectory(from, directory)) {
      if (name === '.git') continue;
      const kind = stats.isSymbolicLink() ? 'symlink' : stats.isFile() ? 'file' : undefined;
      if (stats.isDirectory()) {
        copier.directory(path);
        pending.push(path);
      } else if (kind) await copier.file(path, { kind, mode: stats.mode, bytes: stats.size });
    }
  }
  return to;
}
