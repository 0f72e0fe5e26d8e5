import type { BytePath } from '../../../git/byte-path.js';
import { CONTROL, isGitName } from './path-rules.js';

export const LONGEST_TARGET = 4096;

/**
 * What is wrong with the target of a new symbolic link, as a phrase that follows its path. `..` is allowed only at the
 * beginning, where it goes up through real directories: after a name, which may be a link itself, the target is unknown.
 */
export function checkTarget(path: BytePath, target: BytePath): string | undefined {
  if (target === '' || CONTROL.test(target.replaceAll(/[\x80-\xff]/g, '')))
    return 'is a link with an invalid target';
  if (/^([/\\]|[a-z]:)/i.test(target)) return 'is a link to an absolute path';
  const parts = target.split('/').filter(part => part !== '' && part !== '.');
  const ups = parts.findIndex(part => part !== '..');
  const upCount = ups === -1 ? parts.length : ups;
  if (parts.slice(upCount).includes('..')) return 'is a link that goes up again after going down';
  if (upCount > path.split('/').length - 1) return 'is a link that leaves the repository';
  if (parts.some(isGitName)) return 'is a link into a git directory';
  return undefined;
}
