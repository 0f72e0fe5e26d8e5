import { lstat } from 'node:fs/promises';
import { join } from 'node:path';

/** Files that every git opens first without checking their type: a named pipe there blocks it forever. */
const OPENED_FIRST = ['HEAD', 'config', 'packed-refs', 'index', 'shallow', 'objects/info/alternates'];

/** Those of these files that are not files, directories or links. */
export async function findBlockingFiles(gitDir: string, branch: string): Promise<string[]> {
  const names = [...OPENED_FIRST, `refs/heads/${branch}`];
  const infos = await Promise.all(names.map(name => lstat(join(gitDir, name)).catch(() => undefined)));
  return names.filter((_, at) => {
    const info = infos[at];
    return info !== undefined && !info.isFile() && !info.isDirectory() && !info.isSymbolicLink();
  });
}
