import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync, statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import type { EvalBase } from '../../domain/batch/eval-item.js';
import { carrelError } from '../../domain/error/error.js';
import { type BytePath, displayPath, toBytePath, toFsPath } from '../../git/byte-path.js';
import { readDirectory } from '../../git/files/read-directory.js';
import { isPlainPath } from '../../git/files/tree-path.js';

/** A file of a base, as git stores it. */
export interface BaseFile {
  readonly path: BytePath;
  readonly mode: '100644' | '100755' | '120000';
  /** Hash of the content. */
  readonly hash: string;
  read(): Buffer;
}

type FilesBase = Extract<EvalBase, { readonly kind: 'files' }>;

export function listGivenFiles({ files, executable = [] }: FilesBase): BaseFile[] {
  const isExecutable = new Set(executable);
  const listed = Object.entries(files).map(([name, text]): BaseFile => {
    const path = toBytePath(name);
    if (!isPlainPath(path))
      throw carrelError('BASE_UNAVAILABLE', {
        base: `the file ${name}`,
        reason: 'git does not accept this name',
      });
    const content = Buffer.from(text, 'utf8');
    const mode = isExecutable.has(name) ? '100755' : '100644';
    return { path, mode, hash: hashOf(content), read: () => content };
  });
  return listed.sort(byPath);
}

/** Everything in it except `.git` directories. A .gitignore there applies to work in it, not to the base. */
export function listDirectoryFiles(root: string): BaseFile[] {
  if (!isAbsolute(root) || !statSync(root, { throwIfNoEntry: false })?.isDirectory())
    throw carrelError('BASE_UNAVAILABLE', { base: root, reason: 'it is not a directory' });
  const files: BaseFile[] = [];
  const pending: BytePath[] = [''];
  for (let directory = pending.pop(); directory !== undefined; directory = pending.pop()) {
    for (const { path, stats } of readDirectory(root, directory)) {
      if (!isPlainPath(path)) continue;
      if (stats.isDirectory()) pending.push(path);
      else if (stats.isSymbolicLink()) files.push(describeLink(root, path));
      else if (stats.isFile()) files.push(describeFile(root, path, stats.mode));
    }
  }
  return files.sort(byPath);
}

const describeFile = (root: string, path: BytePath, mode: number): BaseFile => {
  const read = () => readOrExplain(root, path);
  return { path, mode: mode & 0o100 ? '100755' : '100644', hash: hashOf(read()), read };
};

function describeLink(root: string, path: BytePath): BaseFile {
  const target = readlinkSync(toFsPath(root, path), { encoding: 'buffer' });
  return { path, mode: '120000', hash: hashOf(target), read: () => target };
}

function readOrExplain(root: string, path: BytePath): Buffer {
  try {
    return readFileSync(toFsPath(root, path));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw carrelError('BASE_UNAVAILABLE', { base: `${root}/${displayPath(path)}`, reason }, error);
  }
}

const hashOf = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

const byPath = (one: BaseFile, other: BaseFile): number => (one.path < other.path ? -1 : 1);
