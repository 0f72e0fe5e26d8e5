import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Git } from '../../git/git.js';
import { digestConversions } from '../../workspace/template/template-place.js';

/**
 * A digest of the configuration for line endings and filters: files that were written under another
 * configuration differ from a checkout now. git is asked again only when the repository's own files have changed: a process
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
