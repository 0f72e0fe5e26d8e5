import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { isMissing } from '../../domain/error/error.js';
import { READ_WITHOUT_FOLLOWING } from './pinned-file.js';

/**
 * The content of a file of git's own; null when there is none, and undefined when it is a link, a pipe, unreadable or longer
 * than `mostBytes`. Then git has to be asked.
 */
export function readSmallFile(path: string, mostBytes: number): Buffer | null | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(path, READ_WITHOUT_FOLLOWING);
  } catch (error) {
    return isMissing(error) ? null : undefined;
  }
  try {
    const info = fstatSync(descriptor);
    if (!info.isFile() || info.size > mostBytes) return undefined;
    const content = Buffer.alloc(info.size);
    return readSync(descriptor, content) === info.size ? content : undefined;
  } catch {
    return undefined;
  } finally {
    closeSync(descriptor);
  }
}
