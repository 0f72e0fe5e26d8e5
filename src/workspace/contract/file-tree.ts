import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { type BytePath, toFsPath } from '../../git/byte-path.js';

/** What to write, by byte path: content, content with a mode, a symbolic link to a byte path, or null for nothing. */
export type Files = Readonly<Record<BytePath, FileContent | null>>;

type FileContent =
  | string
  | Buffer
  | { readonly content: string; readonly mode: number }
  | { readonly target: BytePath };

export function writeTree(root: string, files: Files): void {
  for (const [path, file] of Object.entries(files)) {
    const place = toFsPath(root, path);
    mkdirSync(toFsPath(root, dirname(path)), { recursive: true });
    rmSync(place, { force: true });
    if (file === null) continue;
    if (typeof file === 'string' || Buffer.isBuffer(file)) writeFileSync(place, file);
    else if ('target' in file) symlinkSync(Buffer.from(file.target, 'latin1'), place);
    else {
      writeFileSync(place, file.content);
      chmodSync(place, file.mode);
    }
  }
}

/** Every file, link and directory below `root` with its mode and content, except `.git` and `.jj` at the top. */
export function readTree(root: string): Record<BytePath, string> {
  const tree: Record<BytePath, string> = {};
  for (const name of readdirSync(toFsPath(root, ''), 'latin1')) {
    if (name !== '.git' && name !== '.jj') readEntry(root, name, tree);
  }
  return tree;
}

/** The same without directories and with only the mode bits that a patch holds. */
export function readPatchable(root: string): Record<BytePath, string> {
  const entries = Object.entries(readTree(root)).filter(([, entry]) => !entry.startsWith('directory'));
  return Object.fromEntries(
    entries.map(([path, entry]) => [path, entry.replace(/^(file) 0(\d).. /, simplifyMode)]),
  );
}

const simplifyMode = (_: string, kind: string, owner: string): string =>
  `${kind} ${Number(owner) & 1 ? 'executable' : 'plain'} `;

function readEntry(root: string, path: BytePath, tree: Record<BytePath, string>): void {
  const place = toFsPath(root, path);
  const info = lstatSync(place);
  const mode = `0${(info.mode & 0o777).toString(8).padStart(3, '0')}`;
  if (info.isSymbolicLink()) tree[path] = `link ${readlinkSync(place, 'latin1')}`;
  else if (info.isFile()) tree[path] = `file ${mode} ${readFileSync(place, 'latin1')}`;
  else if (info.isDirectory()) {
    tree[path] = `directory ${mode}`;
    for (const name of readdirSync(place, 'latin1')) readEntry(root, `${path}/${name}`, tree);
  }
}
