import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { git } from './repository.js';

/**
 * Everything about the user's repository that Carrel may not change: HEAD, refs outside refs/carrel/ and branches
 * under carrel/, index, config, hooks, stash, status, and the content of every file in the checkout.
 */
export function fingerprint(repository: string, runGit = git): Record<string, string> {
  // Looking must not run the user's programs either: some tests count who does.
  const look = (...args: string[]) => runGit(repository, '-c', 'core.fsmonitor=false', ...args);
  const own = join(repository, '.git');
  const isOwn = lstatSync(own, { throwIfNoEntry: false })?.isDirectory();
  const gitDir = isOwn ? own : look('rev-parse', '--absolute-git-dir');
  const refs = look('for-each-ref', '--format=%(objectname) %(refname)')
    .split('\n')
    .filter(line => !/ refs\/(carrel|heads\/carrel)\//.test(line));
  return {
    head: readFileSync(join(gitDir, 'HEAD'), 'utf8'),
    headLog: readIfThere(join(gitDir, 'logs/HEAD')),
    refs: refs.join('\n'),
    index: hashFile(join(gitDir, 'index')),
    config: readIfThere(join(gitDir, 'config')),
    hooks: hashTree(join(gitDir, 'hooks')),
    stash: refs.some(ref => ref.endsWith(' refs/stash')) ? look('stash', 'list') : '',
    status: look('--no-optional-locks', 'status', '--porcelain=v2', '--ignored'),
    files: hashTree(repository, new Set(['.git'])),
  };
}

/** A hash over names, modes and contents below `root`. Names are bytes: not all of them are UTF-8. */
export function hashTree(root: string, skip: ReadonlySet<string> = new Set()): string {
  const hash = createHash('sha256');
  const visit = (path: Buffer): void => {
    const stat = lstatSync(path);
    hash.update(path.subarray(Buffer.byteLength(root))).update(`\0${stat.mode.toString(8)}\0`);
    if (stat.isSymbolicLink()) hash.update(readlinkSync(path, 'buffer'));
    else if (stat.isFile()) hash.update(readFileSync(path));
    else if (stat.isDirectory()) {
      for (const child of readdirSync(path, 'buffer').sort(Buffer.compare)) {
        if (!skip.has(child.toString())) visit(Buffer.concat([path, Buffer.from('/'), child]));
      }
    }
  };
  if (existsSync(root)) visit(Buffer.from(root));
  return hash.digest('hex');
}

const readIfThere = (path: string): string => (existsSync(path) ? readFileSync(path, 'utf8') : '');
const hashFile = (path: string): string =>
  existsSync(path) ? createHash('sha256').update(readFileSync(path)).digest('hex') : 'none';
