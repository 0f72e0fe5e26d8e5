import { lstatSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errnoOf, isCarrelError } from '../../domain/error/error.js';
import { displayPath } from '../../git/byte-path.js';
import { explainFullDisk } from '../../git/disk/disk-full.js';
import { createPinner } from '../../git/files/pinned-file.js';
import { type DirectoryEntry, readDirectory } from '../../git/files/read-directory.js';
import type { Collected, CollectedFile, Handoff } from './handoff.js';
import { HANDOFF_DIRECTORIES, handoffPaths, requireInHandoff } from './handoff-layout.js';
import { createOutputAllowance, OUTPUT_LIMITS, type OutputAllowance } from './output-allowance.js';
import { readPinnedBytes } from './pinned-bytes.js';

/** A handoff directory in Carrel's state, for agents that run on the host. */
export function createHostHandoff(directory: string): Handoff {
  const seen = handoffPaths(directory);
  return {
    seen,
    place: files => placeFiles(directory, files),
    collect: async () => collectFiles(seen.outputDir),
    clear: () => removeHandoff(directory).catch(unlessExpected),
  };
}

async function placeFiles(directory: string, files: ReadonlyMap<string, Buffer>): Promise<void> {
  requireInHandoff(directory, files.keys());
  try {
    await removeHandoff(directory);
    const own = { recursive: true, mode: 0o700 } as const;
    for (const name of HANDOFF_DIRECTORIES) await mkdir(join(directory, name), own);
    for (const [path, content] of files) {
      const file = join(directory, path);
      await mkdir(dirname(file), own);
      await writeFile(file, content, { mode: 0o600 });
    }
  } catch (error) {
    throw await explainFullDisk(error, [directory]);
  }
}

const removeHandoff = (directory: string): Promise<void> => rm(directory, { recursive: true, force: true });

/** An agent may have removed write permission; then the files stay until the task is forgotten. */
function unlessExpected(error: unknown): void {
  if (errnoOf(error) === undefined) throw error;
}

/** Links are not followed: one could lead to a secret that the next agent would get as an output. */
function collectFiles(directory: string): Collected {
  const allowance = createOutputAllowance();
  if (!lstatSync(directory, { throwIfNoEntry: false })?.isDirectory())
    return { files: [], warnings: ['the output directory was removed'] };
  const files = collectBelow(directory, '', allowance);
  return { files, warnings: allowance.warnings() };
}

function collectBelow(root: string, directory: string, allowance: OutputAllowance): CollectedFile[] {
  return listEntries(root, directory, allowance).flatMap(entry => {
    const path = displayPath(entry.path);
    if (entry.stats.isFile()) return collectFile(root, entry, allowance);
    if (!entry.stats.isDirectory()) allowance.refuse(path, 'it is not a regular file');
    else if (entry.path.split('/').length >= OUTPUT_LIMITS.depth)
      allowance.refuse(path, 'it is nested too deep');
    else return collectBelow(root, entry.path, allowance);
    return [];
  });
}

function listEntries(root: string, directory: string, allowance: OutputAllowance): DirectoryEntry[] {
  try {
    return readDirectory(root, directory);
  } catch (error) {
    return refuseUnreadable(error, displayPath(directory), allowance);
  }
}

function collectFile(root: string, entry: DirectoryEntry, allowance: OutputAllowance): CollectedFile[] {
  const path = displayPath(entry.path);
  if (!allowance.admit(path, entry.stats.size)) return [];
  try {
    const content = readPinnedBytes(createPinner(root)(entry.path), OUTPUT_LIMITS.bytesOfFile);
    return content ? [{ path, content }] : [];
  } catch (error) {
    return refuseUnreadable(error, path, allowance);
  }
}

function refuseUnreadable(error: unknown, path: string, allowance: OutputAllowance): [] {
  if (!isCarrelError(error, 'FILE_UNREADABLE')) throw error;
  allowance.refuse(path, `cannot read it (${error.details.problem})`);
  return [];
}
