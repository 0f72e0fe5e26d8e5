import { lstatSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { carrelError } from '../../domain/error.js';
import type { Git } from '../git.js';
import { chooseIgnored, type IgnoredLimits, type Omitted } from '../work-tree/ignored.js';
import { statEntry } from '../work-tree/read-directory.js';
import { type FoundFiles, measureDirectory, walkWorkTree } from '../work-tree/walk.js';
import { type Modes, summarizeModes } from './file-modes.js';
import { applyModes, putEmptyDirectories, putFiles, withStaging } from './put-files.js';
import { checkOutRaw } from './raw-checkout.js';
import { type RawFile, toRawFile } from './raw-files.js';
import { FOLDERS, type PrivateHomeMeta } from './snapshot-meta.js';

/** What the commands of a sandboxed workspace left in their home: settings, histories, notes, and things of their own. */
export interface PrivateHomeFiles {
  readonly files: readonly RawFile[];
  readonly omitted: readonly Omitted[];
  /** Those of the omitted that nothing but the limit keeps out. */
  readonly beyondLimit: readonly Omitted[];
  /** Null where there is no home. */
  readonly meta: PrivateHomeMeta | null;
}

/** Where tools keep in a home what they download or make again. */
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

/** Bounded like ignored files, and repositories are whole. Nothing is followed. FILE_UNREADABLE */
export async function listPrivateHome(
  home: string | undefined,
  limits: IgnoredLimits | undefined,
): Promise<PrivateHomeFiles> {
  const isThere = home !== undefined && lstatSync(home, { throwIfNoEntry: false })?.isDirectory();
  if (!isThere || !limits) return { files: [], omitted: [], beyondLimit: [], meta: null };
  const found = await walkHome(home, limits.regenerable);
  const chosen = chooseIgnored(found, [...found.files.keys()], new Set(), limits);
  const files = chosen.taken.flatMap(path => {
    const file = found.files.get(path);
    return file ? [toRawFile(home, path, file)] : [];
  });
  const beyond = new Set(chosen.beyondLimit);
  const reason = `part of the home inside, beyond the limit of ${limits.ignoredBytes} bytes`;
  const atHome = (omitted: Omitted): Omitted => ({
    ...omitted,
    path: `~/${omitted.path}`,
    reason: beyond.has(omitted) ? reason : omitted.reason,
  });
  return {
    files,
    omitted: chosen.omitted.map(atHome),
    beyondLimit: chosen.beyondLimit.map(atHome),
    meta: { emptyDirectories: found.emptyDirectories, modes: describeModes(found, files) },
  };
}

async function walkHome(home: string, regenerable: readonly string[]): Promise<FoundFiles> {
  const caches = CACHES.filter(path => statEntry(home, path)?.isDirectory());
  const found = await walkWorkTree(home, {
    gitlinks: new Set(),
    occupied: new Set(),
    regenerable: new Set(regenerable),
    passedOver: new Set(caches),
  });
  const whole = await Promise.all(
    ['.git', ...found.nestedRepositories].map(start => walkWorkTree(home, null, start)),
  );
  const all = [found, ...whole];
  return {
    ...found,
    files: new Map(all.flatMap(part => [...part.files])),
    directories: new Map(all.flatMap(part => [...part.directories])),
    emptyDirectories: all.flatMap(part => part.emptyDirectories),
    regenerable: [
      ...found.regenerable,
      ...caches.map(path => ({ path, bytes: measureDirectory(home, path) })),
    ],
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
  /** Where it comes back to; must not exist. */
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

/** A program of somebody else's that runs as its owner would run as us. */
const PLAIN_MODES = 0o777;
