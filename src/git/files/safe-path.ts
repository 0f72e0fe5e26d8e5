import { lstatSync, mkdirSync } from 'node:fs';
import { carrelError } from '../../domain/error/error.js';
import { type BytePath, displayPath, toFsPath } from '../byte-path.js';

/**
 * Creates the parent directories of a path below `root`, each verified to be a real directory, so that nothing is ever
 * written outside. UNSAFE_PATH. Use one per restore: verified directories are not checked again.
 */
export function createParentMaker(root: string): (path: BytePath) => void {
  const checked = new Set<BytePath>(['']);
  const ensure = (directory: BytePath): void => {
    if (checked.has(directory)) return;
    ensure(parentOf(directory));
    const stats = lstatSync(toFsPath(root, directory), { throwIfNoEntry: false });
    if (stats && !stats.isDirectory())
      throw carrelError('UNSAFE_PATH', { path: displayPath(directory), root });
    if (!stats) mkdirSync(toFsPath(root, directory));
    checked.add(directory);
  };
  return path => {
    requireInside(root, path);
    ensure(parentOf(path));
  };
}

function requireInside(root: string, path: BytePath): void {
  const names = path.split('/');
  const isOdd = names.some(name => ['', '.', '..'].includes(name) || name.includes('\0'));
  if (isOdd) throw carrelError('UNSAFE_PATH', { path: displayPath(path), root });
}

const parentOf = (path: BytePath): BytePath => path.slice(0, Math.max(0, path.lastIndexOf('/')));
