import { mkdir, open, readdir, stat, unlink } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { carrelError, ignoreMissing } from '../../domain/error.js';

/** A directory in which sockets can be made, however long its path is. */
export interface SocketDirectory {
  /** A path for listen(); good as long as the directory is open, and in this process alone. */
  pathOf(name: string): string;
  close(): Promise<void>;
}

/** What fits into the address of a unix socket on Linux, and all but four bytes of it on other systems. */
const MOST_BYTES = 103;

/** Makes the directory if need be, and deletes sockets of processes that were killed. */
export async function openSocketDirectory(path: string, now: number): Promise<SocketDirectory> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  const handle = await open(path);
  // Node 20 cuts off what is too long and listens there, so it must never get such a path.
  const shortcut = `/proc/self/fd/${handle.fd}`;
  const prefix = Buffer.byteLength(path) + LONGEST_NAME > MOST_BYTES ? shortcut : path;
  await removeDead(prefix, now);
  return { pathOf: name => join(prefix, requireShort(name)), close: () => handle.close() };
}

/** With the slash before it. */
const LONGEST_NAME = 64;

function requireShort(name: string): string {
  if (Buffer.byteLength(name) < LONGEST_NAME) return name;
  throw carrelError('INTERNAL', { problem: `the name ${name} is too long for a socket` });
}

async function removeDead(directory: string, now: number): Promise<void> {
  for (const name of await readdir(directory)) {
    const path = join(directory, name);
    if ((await isOld(path, now)) && (await isDeaf(path))) await unlink(path).catch(ignoreMissing);
  }
}

/** Between being made and being listened to, a socket looks like a dead one. */
const MINUTE = 60_000;

async function isOld(path: string, now: number): Promise<boolean> {
  const found = await stat(path).catch(ignoreMissing);
  return found?.isSocket() === true && now - found.mtimeMs > MINUTE;
}

function isDeaf(path: string): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(path);
    socket.once('connect', () => resolve(false));
    socket.once('error', error => resolve('code' in error && error.code === 'ECONNREFUSED'));
    socket.once('connect', () => socket.destroy());
  });
}
