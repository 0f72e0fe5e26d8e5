import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { readSmallFile } from '../files/small-file.js';

/**
 * Objects read from their files, for queries not worth a process. Undefined for those that are in a pack, elsewhere, large
 * or damaged: then git has to be asked. What is returned has the hash that it is named by.
 */
export interface LooseObject {
  readonly type: string;
  readonly content: Buffer;
}

const MOST_BYTES = 1024 ** 2;

/** `store` is the git directory with the objects. */
export function readLooseObject(store: string, id: string): LooseObject | undefined {
  if (!isObjectId(id)) return undefined;
  const file = readSmallFile(join(store, 'objects', id.slice(0, 2), id.slice(2)), MOST_BYTES);
  const bytes = file && inflateQuietly(file);
  if (
    !bytes ||
    createHash(id.length === 40 ? 'sha1' : 'sha256')
      .update(bytes)
      .digest('hex') !== id
  )
    return undefined;
  const end = bytes.indexOf(0);
  const [type = ''] = bytes.toString('latin1', 0, end).split(' ');
  return { type, content: bytes.subarray(end + 1) };
}

export const isObjectId = (name: string): boolean => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(name);

function inflateQuietly(bytes: Buffer): Buffer | undefined {
  try {
    return inflateSync(bytes, { maxOutputLength: MOST_BYTES });
  } catch {
    return undefined;
  }
}

export interface LooseCommit {
  readonly tree: string;
  readonly parents: readonly string[];
}

export function readLooseCommit(store: string, id: string): LooseCommit | undefined {
  const object = readLooseObject(store, id);
  if (object?.type !== 'commit') return undefined;
  const text = object.content.toString('latin1');
  const [tree = '', ...rest] = text.slice(0, text.indexOf('\n\n')).split('\n');
  const parents = rest.filter(line => line.startsWith('parent ')).map(line => line.slice('parent '.length));
  return { tree: tree.slice('tree '.length), parents };
}

/** A file at the top of a commit. */
export function readLooseFile(store: string, commit: string, name: string): Buffer | undefined {
  const tree = readLooseCommit(store, commit)?.tree;
  const listing = tree === undefined ? undefined : readLooseObject(store, tree);
  const id = listing?.type === 'tree' ? findEntry(listing.content, name, commit.length / 2) : undefined;
  const object = id === undefined ? undefined : readLooseObject(store, id);
  return object?.type === 'blob' ? object.content : undefined;
}

/** An entry is its mode, a space, its name, a NUL and the bytes of its id. */
function findEntry(tree: Buffer, name: string, idBytes: number): string | undefined {
  for (let at = 0; at < tree.length; ) {
    const end = tree.indexOf(0, at);
    const idEnd = end + 1 + idBytes;
    if (tree.toString('latin1', tree.indexOf(' ', at) + 1, end) === name)
      return tree.toString('hex', end + 1, idEnd);
    at = idEnd;
  }
  return undefined;
}
