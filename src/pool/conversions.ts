import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Git } from '../git/git.js';
import { digestConversions } from '../workspace/template-place.js';

/**
 * Tells what the configuration says about line endings and filters, as a digest: files that were written under another
 * one are not what a checkout would be now. git is asked again only when the repository's own files have changed: a process
 * takes as long as all else that a warm slot needs.
 */
export function createConversionsReader(git: Git, commonDir: string): () => Promise<string> {
  let known: { readonly seal: string; readonly digest: Promise<string> } | undefined;
  return async () => {
    const seal = sealFiles(commonDir);
    if (known?.seal !== seal) known = { seal, digest: digestConversions(git, commonDir) };
    return known.digest.catch(error => {
      known = undefined;
      throw error;
    });
  };
}

const sealFiles = (commonDir: string): string =>
  [join(commonDir, 'config'), join(commonDir, 'info', 'attributes')].map(sealFile).join();

function sealFile(file: string): string {
  const info = statSync(file, { bigint: true, throwIfNoEntry: false });
  return info ? [info.ino, info.size, info.mtimeNs, info.ctimeNs].join(':') : 'none';
}
