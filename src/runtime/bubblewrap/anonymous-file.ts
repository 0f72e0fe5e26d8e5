import { closeSync, mkdirSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Descriptors of files without a name, which only child processes that inherit them can read: no earlier command or
 * other program can put something else in their place. Written at fixed offsets, so that a child reads from the start.
 */
export interface AnonymousFiles {
  create(content: Buffer | string): number;
  close(): void;
}

export function openAnonymousFiles(directory: string, unique: () => string): AnonymousFiles {
  const open: number[] = [];
  return {
    create(content) {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      const path = join(directory, `.unnamed-${unique()}`);
      const descriptor = openSync(path, 'wx+', 0o600);
      open.push(descriptor);
      unlinkSync(path);
      writeAll(descriptor, Buffer.from(content));
      return descriptor;
    },
    close() {
      for (const descriptor of open.splice(0)) closeSync(descriptor);
    },
  };
}

function writeAll(descriptor: number, content: Buffer): void {
  for (let at = 0; at < content.length; ) at += writeSync(descriptor, content, at, content.length - at, at);
}
