import { createHash } from 'node:crypto';
import { lstat, readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { displayPath } from '../../git/byte-path.js';
import type { Git } from '../../git/git.js';
import { listRunByFile } from './find-referenced-scripts.js';

/** The files that commands will see: of a commit, or of a directory without one. */
export type CommandFiles =
  | { readonly kind: 'commit'; readonly git: Git; readonly gitDir: string; readonly commit: string }
  | { readonly kind: 'directory'; readonly path: string };

/**
 * The lines with the content of the files that they name: `sh ./setup.sh [setup.sh 9f8a…]`. What is approved is the line
 * as a whole, so different content makes a different line. A file is named by its path, also below a directory that the line names
 * (`cd tools && ./setup.sh`), and by the programs of PROGRAM_FILES. What such a file runs by name in turn is pinned as well,
 * see find-referenced-scripts.ts.
 */
export async function pinCommands(lines: readonly string[], files: CommandFiles | null): Promise<string[]> {
  if (files === null || lines.length === 0) return [...lines];
  const words = lines.map(listPaths);
  const found = await findEntries(files, words.flat());
  const deeper = words.map(paths => {
    const directories = paths.filter(path => found.get(path)?.kind === 'directory');
    return directories.flatMap(directory => paths.map(path => posix.join(directory, path)));
  });
  const below = await findEntries(files, deeper.flat());
  const pinned = lines.map(async (line, at) => {
    const named = new Map<string, string>();
    for (const path of [...(words[at] ?? []), ...(deeper[at] ?? [])]) {
      const entry = found.get(path) ?? below.get(path);
      if (entry?.kind === 'file') named.set(path, entry.id);
    }
    const all = await followFiles(files, line, named);
    return [line, ...[...all].map(([path, id]) => `[${path} ${id}]`)].join(' ');
  });
  return Promise.all(pinned);
}

/** More than a real setup has; further files are not pinned. */
const MOST_FILES = 200;

/** The files, and those that they run, and so on, in the order in which they are found. */
async function followFiles(
  files: CommandFiles,
  line: string,
  named: ReadonlyMap<string, string>,
): Promise<Map<string, string>> {
  const all = new Map(named);
  // A map shows what is added while it is gone through.
  for (const [path, id] of all) {
    const paths = listRunByFile(path, await readContent(files, path, id), line);
    const wanted = new Map(paths.filter(each => !all.has(each.path)).map(each => [each.path, each.isRun]));
    for (const [each, entry] of await findEntries(files, [...wanted.keys()])) {
      if (all.size >= MOST_FILES) return all;
      if (entry.kind === 'file' && (entry.isExecutable || wanted.get(each))) all.set(each, entry.id);
    }
  }
  return all;
}

/** Longer than any readable script. */
const LONGEST_SCRIPT = 1 << 20;

/** Nothing for files that are not text. */
async function readContent(files: CommandFiles, path: string, id: string): Promise<string> {
  const content = files.kind === 'commit' ? await readBlob(files, id) : await readShort(files.path, path);
  return content.includes('\0') ? '' : content;
}

async function readBlob({ git, gitDir }: Commit, id: string): Promise<string> {
  const size = Number(await git.text(['cat-file', '-s', id], { gitDir }));
  return size > LONGEST_SCRIPT ? '' : git.text(['cat-file', 'blob', id], { gitDir });
}

async function readShort(root: string, path: string): Promise<string> {
  const info = await lstat(join(root, path)).catch(() => undefined);
  return info?.isFile() && info.size <= LONGEST_SCRIPT ? readFile(join(root, path), 'utf8') : '';
}

/** A line as it reads without the content of files. */
export const withoutPins = (line: string): string => line.replace(/( \[[^\]]+ [0-9a-f]{40,64}\])+$/, '');

/** Files that programs run automatically when they are called. */
const PROGRAM_FILES: readonly (readonly [RegExp, readonly string[]])[] = [
  [/\bg?make\b/, ['Makefile', 'makefile', 'GNUmakefile']],
  [/\bjust\b/, ['justfile', 'Justfile']],
  [/\brake\b/, ['Rakefile']],
  [/\b(npm|pnpm|yarn|bun) (run|test|start)\b/, ['package.json']],
];

/** More than any command that a person approves; the rest of a longer one is not read. */
const MOST_PATHS = 200;

/** Every part of a line that could be the path of a file, as it stands in a tree. */
function listPaths(line: string): string[] {
  const words = line.split(/[\s;|&<>()'"`$=,:{}[\]]+/);
  const paths = words.map(word => posix.normalize(word)).filter(isInside);
  const implied = PROGRAM_FILES.flatMap(([program, files]) => (program.test(line) ? files : []));
  return [...new Set([...paths, ...implied])].slice(0, MOST_PATHS);
}

const isInside = (path: string): boolean =>
  path !== '.' && path !== '' && !path.startsWith('/') && !path.startsWith('..') && !path.startsWith('-');

type Entry =
  | { readonly kind: 'file'; readonly id: string; readonly isExecutable: boolean }
  | { readonly kind: 'directory' };

async function findEntries(files: CommandFiles, paths: readonly string[]): Promise<Map<string, Entry>> {
  const wanted = [...new Set(paths.map(path => path.replace(/\/$/, '')))];
  if (wanted.length === 0) return new Map();
  const found = files.kind === 'commit' ? await readTree(files, wanted) : await readDisk(files, wanted);
  // With the slash as it was written, too.
  for (const path of paths) {
    const entry = found.get(path.replace(/\/$/, ''));
    if (entry) found.set(path, entry);
  }
  return found;
}

type Commit = Extract<CommandFiles, { kind: 'commit' }>;

const LINK = '120000';
/** As many links after each other as Linux follows. */
const MOST_LINKS = 40;

async function readTree(files: Commit, paths: readonly string[]): Promise<Map<string, Entry>> {
  const { git, gitDir, commit } = files;
  const records = await git.records(['ls-tree', '-z', '--full-tree', commit, '--', ...paths], { gitDir });
  const found = new Map<string, Entry>();
  for (const record of records) {
    const [, mode, kind, id, name] = /^(\d+) (\w+) ([0-9a-f]+)\t(.*)$/s.exec(record) ?? [];
    if (name === undefined || id === undefined) continue;
    const path = displayPath(name);
    if (kind === 'tree') found.set(path, { kind: 'directory' });
    else
      found.set(path, {
        kind: 'file',
        id: mode === LINK ? await followLink(files, path, id, MOST_LINKS) : id,
        isExecutable: mode === '100755' || mode === LINK,
      });
  }
  return found;
}

/** The id of what a link leads to; its own when that is nothing of the tree. */
async function followLink(files: Commit, path: string, id: string, left: number): Promise<string> {
  const { git, gitDir, commit } = files;
  const target = posix.join(posix.dirname(path), await git.text(['cat-file', 'blob', id], { gitDir }));
  if (!isInside(target) || left === 0) return id;
  const [record = ''] = await git.records(['ls-tree', '-z', '--full-tree', commit, '--', target], { gitDir });
  const [, mode, next] = /^(\d+) blob ([0-9a-f]+)\t/.exec(record) ?? [];
  if (next === undefined) return id;
  return mode === LINK ? followLink(files, target, next, left - 1) : next;
}

/** With the id that git would give the content. */
async function readDisk(
  { path: root }: Extract<CommandFiles, { kind: 'directory' }>,
  paths: readonly string[],
): Promise<Map<string, Entry>> {
  const found = new Map<string, Entry>();
  for (const path of paths) {
    const info = await lstat(join(root, path)).catch(() => undefined);
    if (info?.isDirectory()) found.set(path, { kind: 'directory' });
    if (!info?.isFile()) continue;
    const content = await readFile(join(root, path));
    const id = createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');
    found.set(path, { kind: 'file', id, isExecutable: (info.mode & 0o111) !== 0 });
  }
  return found;
}
