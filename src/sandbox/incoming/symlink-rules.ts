import type { BytePath } from '../../git/byte-path.js';
import { CONTROL, isGitName } from './names.js';

export const LONGEST_TARGET = 4096;

/**
 * What is wrong with where a new symbolic link leads, in words that follow its path. `..` counts at the beginning only,
 * where it goes up through real directories: after a name, which may be a link itself, nobody can tell where it leads.
 */
export function judgeTarget(path: BytePath, target: BytePath): string | undefined {
  if (target === '' || CONTROL.test(target.replaceAll(/[\x80-\xff]/g, '')))
    return 'is a link to no proper name';
  if (/^([/\\]|[a-z]:)/i.test(target)) return 'is a link to an absolute path';
  const parts = target.split('/').filter(part => part !== '' && part !== '.');
  const ups = parts.findIndex(part => part !== '..');
  const upCount = ups === -1 ? parts.length : ups;
  if (parts.slice(upCount).includes('..')) return 'is a link that goes up again after going down';
  if (upCount > path.split('/').length - 1) return 'is a link that leaves the repository';
  if (parts.some(isGitName)) return 'is a link into a git directory';
  return undefined;
}
