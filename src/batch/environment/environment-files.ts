import { closeSync, constants, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { toBytePath, toFsPath } from '../../git/byte-path.js';
import { createPinner } from '../../git/files/pinned-file.js';
import { createParentMaker } from '../../git/files/safe-path.js';

/** Writes a file into a working tree that may contain links made by an agent; never writes through a link. UNSAFE_PATH. */
export function putFile(root: string, name: string, content: Buffer, isExecutable = false): void {
  const path = toBytePath(name);
  createParentMaker(root)(path);
  const target = toFsPath(root, path);
  // Removes what is there now, including a directory or a link.
  rmSync(target, { recursive: true, force: true });
  const file = openSync(target, NEW_ONLY, isExecutable ? 0o777 : 0o666);
  try {
    for (let at = 0; at < content.length; ) at += writeSync(file, content, at);
  } finally {
    closeSync(file);
  }
}

const NEW_ONLY = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/** Undefined unless exactly that path is a regular file of at most `mostBytes` bytes. */
export function takeFile(root: string, name: string, limitBytes: number): Buffer | undefined {
  const file = createPinner(root)(toBytePath(name));
  if (!file) return undefined;
  try {
    if (file.bytes > limitBytes) return undefined;
    const content = Buffer.alloc(file.bytes);
    const length = readSync(file.descriptor, content, 0, file.bytes, 0);
    return content.subarray(0, length);
  } finally {
    file.close();
  }
}
