import { statfs } from 'node:fs/promises';
import { readOutput } from './process.mjs';

// btrfs and xfs: files may share blocks there, which du counts for each of them.
const SHARING_FILE_SYSTEMS = [0x9123683e, 0x58465342];

/** Bytes on disk of everything that belongs to a scene and its repository; only differences of it mean something. */
export async function diskUse({ home, repository }) {
  await readOutput('sync', []);
  const { type, bsize, blocks, bfree } = await statfs(home);
  if (SHARING_FILE_SYSTEMS.includes(type)) return (blocks - bfree) * bsize;
  // -x: what an overlay shows of its lower layer is no use of disk.
  const lines = await readOutput('du', ['-skx', home, `${repository.directory}/.git`]);
  return lines.split('\n').reduce((sum, line) => sum + Number.parseInt(line, 10) * 1024, 0);
}
