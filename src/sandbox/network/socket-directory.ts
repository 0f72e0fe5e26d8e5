import { mkdir, open, readdir, stat, unlink } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { carrelError, ignoreMissing } from '../../domain/error/error.js';

/** A directory for sockets that works with a path of any length. */
export interface SocketDirectory {
  /** A path for listen(); valid while the directory is open, and only in this process. */
  pathOf(name: string): string;
  close(): Promise<void>;
}

/** Creates the directory if needed, and deletes sockets of processes that were killed. */
export async function openSocketDirectory(path: string, now: number): Promise<SocketDirectory> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  const handle = await open(path);
  const pathOf = (name: string) => chooseShort(join(path, name), `/proc/self/fd/${handle.fd}/${name}`);
  for (const name of await readdir(path)) await removeDead(pathOf(name), now);
  return { pathOf, close: () => handle.close() };
}

/** What fits into the address of a unix socket on every system; on Linux it would be four more. */
const MOST_BYTES = 103;

/** Node 20 truncates a path that is too long and uses the result, so it must never get such a path. */
function chooseShort(...paths: readonly string[]): string {
  const short = paths.find(path => Buffer.byteLength(path) <= MOST_BYTES);
  if (short !== undefined) return short;
  throw carrelError('NETWORK_UNAVAILABLE', { problem: `the path ${paths[0]} is too long for a socket` });
}

async function removeDead(path: string, now: number): Promise<void> {
  if ((await isOld(path, now)) && (await refusesConnections(path))) await unlink(path).catch(ignoreMissing);
}

/** Between creation and listen, a socket looks dead. */
const MINUTE = 60_000;

async function isOld(path: string, now: number): Promise<boolean> {
  const found = await stat(path).catch(ignoreMissing);
  return found?.isSocket() === true && now - found.mtimeMs > MINUTE;
}

function refusesConnections(path: string): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(path);
    socket.once('connect', () => resolve(false));
    socket.once('error', error => resolve('code' in error && error.code === 'ECONNREFUSED'));
    socket.once('connect', () => socket.destroy());
  });
}
