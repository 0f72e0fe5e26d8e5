import { lstatSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { carrelError } from '../../../domain/error/error.js';
import type { BytePath } from '../../byte-path.js';
import { chooseIgnored, type IgnoredLimits, type Omitted } from '../../files/ignored-files.js';
import { statEntry } from '../../files/read-directory.js';
import { type FoundFiles, sumFileBytes, walkWorkTree } from '../../files/walk.js';
import { type WalkedPlace, walkOpened } from '../../files/walk-opened.js';
import type { Git } from '../../git.js';
import { type Modes, summarizeModes } from '../file-modes.js';
import { type RawFile, toRawFile } from '../raw-files.js';
import { FOLDERS, type PrivateHomeMeta } from '../snapshot-meta.js';
import { applyModes, putEmptyDirectories, putFiles, withStaging } from './put-files.js';
import { checkOutRaw } from './raw-checkout.js';

/** What commands in a sandboxed workspace left in their home: settings, histories, notes and other files. */
export interface PrivateHomeFiles {
  readonly files: readonly RawFile[];
  readonly omitted: readonly Omitted[];
  /** Those omitted only because of the limit. */
  readonly beyondLimit: readonly Omitted[];
  /** Null where there is no home. */
  readonly meta: PrivateHomeMeta | null;
}

/** Where tools keep downloads and caches in a home. */
const CACHES = [
  '.cache',
  '.npm',
  '.nvm',
  '.pnpm-store',
  '.local/share/pnpm',
  '.yarn/berry',
  '.bun/install',
  '.cargo/git',
  '.cargo/registry',
  '.rustup',
  '.m2/repository',
  'go/pkg',
];

/** Limited like ignored files, and repositories are complete. Links are not followed. FILE_UNREADABLE */
export async function listPrivateHome(
  home: string | undefined,
  limits: IgnoredLimits | undefined,
): Promise<PrivateHomeFiles> {
  const isThere = home !== undefined && lstatSync(home, { throwIfNoEntry: false })?.isDirectory();
  if (!isThere || !limits) return { files: [], omitted: [], beyondLimit: [], meta: null };
  const { found, unreadable } = await walkWholeHome(home, limits.regenerable);
  const chosen = chooseIgnored(found, [...found.files.keys()], new Set(), limits);
  const files = chosen.taken.flatMap(path => {
    const file = found.files.get(path);
    return file ? [toRawFile(home, path, file)] : [];
  });
  const beyond = new Set(chosen.beyondLimit);
  const reason = `part of the private home, above the limit of ${limits.ignoredBytes} bytes`;
  const atHome = (omitted: Omitted): Omitted => ({
    ...omitted,
    path: `~/${omitted.path}`,
    reason: beyond.has(omitted) ? reason : omitted.reason,
  });
  return {
    files,
    omitted: [...chosen.omitted, ...unreadable].map(atHome),
    beyondLimit: [...chosen.beyondLimit, ...unreadable].map(atHome),
    meta: { emptyDirectories: found.emptyDirectories, modes: describeModes(found, files) },
  };
}

/** Files without owner permission are opened up for this; a restore sets the original mode. */
function walkWholeHome(home: string, regenerable: readonly string[]): Promise<WalkedPlace> {
  return walkOpened(home, leftOut => walkHome(home, regenerable, leftOut));
}

async function walkHome(
  home: string,
  regenerable: readonly string[],
  leftOut?: ReadonlySet<BytePath>,
): Promise<FoundFiles> {
  const caches = CACHES.filter(path => statEntry(home, path)?.isDirectory());
  const rules = {
    gitlinks: new Set<BytePath>(),
    occupied: new Set<BytePath>(),
    regenerable: new Set(regenerable),
    passedOver: new Set(caches),
  };
  const found = await walkWorkTree(home, rules, '', leftOut);
  const whole = await Promise.all(
    ['.git', ...found.nestedRepositories].map(start => walkWorkTree(home, null, start, leftOut)),
  );
  const all = [found, ...whole];
  return {
    ...found,
    files: new Map(all.flatMap(part => [...part.files])),
    directories: new Map(all.flatMap(part => [...part.directories])),
    emptyDirectories: all.flatMap(part => part.emptyDirectories),
    regenerable: [...found.regenerable, ...caches.map(path => ({ path, bytes: sumFileBytes(home, path) }))],
    special: all.flatMap(part => part.special),
  };
}

/** Keys are private in a home, and tools refuse those that are not. */
function describeModes({ directories }: FoundFiles, files: readonly RawFile[]): Modes {
  return summarizeModes([
    ...files
      .filter(file => file.kind === 'file')
      .map(({ path, mode }) => ({ path, kind: mode & 0o100 ? 'executable' : 'file', mode }) as const),
    ...[...directories].map(([path, mode]) => ({ path, kind: 'directory', mode }) as const),
  ]);
}

export interface PrivateHomeRestoration {
  readonly objectStore: string;
  /** The commit or tree that has the home as its folder. */
  readonly tree: string;
  readonly meta: PrivateHomeMeta;
  /** Where to restore it; must not exist. */
  readonly home: string;
  readonly temporaryRoot: string;
}

/** PATH_EXISTS, UNSAFE_PATH */
export async function restorePrivateHome(git: Git, restoration: PrivateHomeRestoration): Promise<void> {
  const { objectStore, meta, home, temporaryRoot } = restoration;
  if (lstatSync(home, { throwIfNoEntry: false })) throw carrelError('PATH_EXISTS', { path: home });
  await mkdir(home, { recursive: true, mode: 0o700 });
  const name = `${restoration.tree}:${FOLDERS.privateHome}`;
  const query = ['rev-parse', '--verify', '--quiet', name];
  const tree = await git.text(query, { gitDir: objectStore, answers: [0, 1] });
  await withStaging(home, async staging => {
    if (tree) await checkOutRaw(git, { objectStore, tree, directory: staging, temporaryRoot });
    await putFiles(staging, '', home);
  });
  putEmptyDirectories(home, meta.emptyDirectories);
  await applyModes(home, meta.modes, undefined, PLAIN_MODES);
}

/** A setuid program from the sandbox would run as our user. */
const PLAIN_MODES = 0o777;
