import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { BytePath } from '../byte-path.js';
import { hashContent } from '../files/content-hash.js';
import type { Git } from '../git.js';
import { readObjectInfos } from '../objects/read-objects.js';
import type { WorkTreePlace } from '../work-tree-place.js';

/** A file of git LFS. What git has is a pointer to its content; the content is in the repository's LFS store. */
export interface LargeFile {
  readonly path: BytePath;
  /** SHA-256 of the content. */
  readonly oid: string;
}

export interface LargeFileCandidate {
  readonly path: BytePath;
  /** The blob in the index. */
  readonly id: string;
  /** Size on the disk. */
  readonly bytes: number;
  /** Whether the file's times prove that it is unchanged; else its content is read. */
  readonly isUntouched: boolean;
}

/** Where git LFS keeps the content, by its documented layout. */
export const largeObjectPath = (commonDir: string, oid: string): string =>
  join(commonDir, 'lfs', 'objects', oid.slice(0, 2), oid.slice(2, 4), oid);

/**
 * The tracked files whose content is in the LFS store. Storing them again would copy every large file of the
 * repository into every snapshot.
 */
export async function findLargeFiles(
  git: Git,
  place: WorkTreePlace,
  candidates: readonly LargeFileCandidate[],
): Promise<LargeFile[]> {
  const ids = candidates.map(candidate => candidate.id);
  const infos = await readObjectInfos(git, place.commonDir, ids);
  const found: LargeFile[] = [];
  for (const [at, candidate] of candidates.entries()) {
    if ((infos[at]?.bytes ?? LONGEST_POINTER) >= LONGEST_POINTER) continue;
    const blob = await git.text(['cat-file', 'blob', candidate.id], { gitDir: place.commonDir });
    const pointer = parsePointer(blob);
    if (pointer && (await isUnchanged(place, candidate, pointer)))
      found.push({ path: candidate.path, oid: pointer.oid });
  }
  return found;
}

/** "Pointer files must be less than 1024 bytes in size." (git-lfs specification) */
const LONGEST_POINTER = 1024;

interface Pointer {
  readonly oid: string;
  readonly bytes: number;
}

function parsePointer(text: string): Pointer | undefined {
  if (!text.startsWith('version https://git-lfs.github.com/spec/v1\n')) return undefined;
  const oid = /^oid sha256:([0-9a-f]{64})$/m.exec(text)?.[1];
  const bytes = /^size (\d+)$/m.exec(text)?.[1];
  return oid && bytes ? { oid, bytes: Number(bytes) } : undefined;
}

async function isUnchanged(
  place: WorkTreePlace,
  candidate: LargeFileCandidate,
  pointer: Pointer,
): Promise<boolean> {
  const stored = statSync(largeObjectPath(place.commonDir, pointer.oid), { throwIfNoEntry: false });
  if (stored?.size !== pointer.bytes || candidate.bytes !== pointer.bytes) return false;
  return candidate.isUntouched || (await hashContent(place.workTree, candidate.path)) === pointer.oid;
}
