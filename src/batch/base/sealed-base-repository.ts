import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ignoreMissing } from '../../domain/error/error.js';
import { hashListing } from '../../git/files/listing-hash.js';
import type { SealedBase } from './sealed-base.js';

/** Beside the git directory: which commit it holds, and a digest of its object files. */
export const SEAL_FILE = 'sealed.json';

/**
 * Writes a git directory directly, as gitrepository-layout(5) describes it: it takes a millisecond where `git init` takes
 * ten. HEAD is the branch `main`; with `borrowed` that branch is at the base's commit and uses the base's objects.
 */
export async function writeRepository(gitDir: string, borrowed?: SealedBase): Promise<void> {
  await mkdir(join(gitDir, 'objects', 'info'), { recursive: true });
  await mkdir(join(gitDir, 'refs', 'heads'), { recursive: true });
  const files = {
    HEAD,
    config: CONFIG,
    ...(borrowed && {
      'refs/heads/main': `${borrowed.commit}\n`,
      'objects/info/alternates': `${join(borrowed.gitDir, 'objects')}\n`,
    }),
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(gitDir, name), text);
}

const HEAD = 'ref: refs/heads/main\n';

/** The user's git configuration must not change a working tree or its patch. */
const CONFIG = `[core]
\trepositoryFormatVersion = 0
\tbare = false
\tfileMode = true
\tlogAllRefUpdates = false
\tautocrlf = false
\tsafecrlf = false
\texcludesFile = /dev/null
\tattributesFile = /dev/null
[gc]
\tauto = 0
[maintenance]
\tauto = false
`;

/** The base in a directory when its few files are unchanged; otherwise undefined. */
export async function findSealed(directory: string): Promise<Omit<SealedBase, 'hash'> | undefined> {
  const gitDir = join(directory, '.git');
  const seal = parseSeal(await readFile(join(directory, SEAL_FILE), 'utf8').catch(ignoreMissing));
  if (!seal) return undefined;
  const expected = { HEAD, config: CONFIG, 'refs/heads/main': `${seal.commit}\n` };
  for (const [name, text] of Object.entries(expected))
    if ((await readFile(join(gitDir, name), 'utf8').catch(ignoreMissing)) !== text) return undefined;
  const names = await Promise.all(['', 'refs', 'refs/heads'].map(name => readdir(join(gitDir, name))));
  if (names.map(each => each.sort().join(' ')).join('/') !== ONLY_THERE) return undefined;
  return (await hashListing(gitDir, 'objects')) === seal.objects
    ? { directory, gitDir, commit: seal.commit }
    : undefined;
}

/** Names in the git directory, in `refs` and in `refs/heads`. */
const ONLY_THERE = 'HEAD config objects refs/heads/main';

interface Seal {
  readonly commit: string;
  readonly objects: string;
}

function parseSeal(text: string | undefined): Seal | undefined {
  try {
    const { commit, objects } = JSON.parse(text ?? '') as Record<string, unknown>;
    return typeof commit === 'string' && typeof objects === 'string' ? { commit, objects } : undefined;
  } catch {
    return undefined;
  }
}
