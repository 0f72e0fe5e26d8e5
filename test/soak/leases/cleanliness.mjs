import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { blobId, git } from './git.mjs';

/** What the files of a commit are: path to mode and blob id, as git has them. */
export async function listCommit(repository, commit) {
  const listed = await git(repository, 'ls-tree', '-r', '-z', commit);
  const lines = listed.split('\0').filter(Boolean);
  return new Map(lines.map(line => [line.slice(line.indexOf('\t') + 1), line.slice(0, line.indexOf('\t'))]));
}

/**
 * Everything in a slot that is not of its commit, in words; nothing of it relies on the slot's index or configuration.
 * `bare` is what the git directory of an untouched slot looked like.
 */
export async function findLeaks(lease, expected, bare) {
  return [
    ...compare('file', expected, listFiles(lease.path)),
    ...compare('git directory', bare, listGitDirectory(lease.gitDir)),
    ...(readFileSync(join(lease.gitDir, 'HEAD'), 'utf8').trim() === lease.commit
      ? []
      : ['HEAD is elsewhere']),
    ...(await ask(lease, 'status', '--porcelain', '--ignored', '--untracked-files=all')),
    ...(await ask(lease, 'for-each-ref')),
    ...(await ask(lease, 'stash', 'list')),
    ...listProcesses(lease.path).map(pid => `process ${pid} is inside`),
  ];
}

/** Everything in it but HEAD, which is compared by itself, and the index, which holds times. */
export function listGitDirectory(gitDir) {
  const files = listFiles(gitDir, path => path === 'HEAD' || path === 'index');
  // That git was asked something leaves nothing else than this.
  files.delete('logs/HEAD');
  return files;
}

function compare(what, expected, found) {
  const leaks = [];
  for (const [path, value] of found)
    if (!expected.has(path)) leaks.push(`${what}: ${path} is there`);
    else if (expected.get(path) !== value)
      leaks.push(`${what}: ${path} is ${value}, not ${expected.get(path)}`);
  for (const path of expected.keys()) if (!found.has(path)) leaks.push(`${what}: ${path} is not there`);
  return leaks;
}

function listFiles(root, isLeftOut = path => path === '.git') {
  const found = new Map();
  const visit = folder => {
    const names = readdirSync(join(root, folder));
    if (names.length === 0 && folder !== '' && root.endsWith('tree'))
      found.set(`${folder}/`, 'an empty folder');
    for (const name of names) {
      const path = folder === '' ? name : `${folder}/${name}`;
      if (isLeftOut(path)) continue;
      const info = lstatSync(join(root, path));
      if (info.isDirectory()) {
        if (permissionsBeforeMask(info) !== 0o777)
          found.set(`${path}/`, `a folder with ${info.mode.toString(8)}`);
        visit(path);
      } else found.set(path, describeFile(join(root, path), info));
    }
  };
  visit('');
  return found;
}

/** In git's words, which know two kinds of permissions; what is neither of them is named as it is. */
function describeFile(path, info) {
  if (info.isSymbolicLink()) return `120000 blob ${blobId(readlinkSync(path))}`;
  const mode = [0o666, 0o777].indexOf(permissionsBeforeMask(info));
  if (!info.isFile() || mode === -1) return `something odd (${info.mode.toString(8)})`;
  return `${['100644', '100755'][mode]} blob ${blobId(readFileSync(path))}`;
}

/** The mode requested at creation; the umask cannot be derived from the result, so all masked bits are added back. */
const permissionsBeforeMask = info => (info.mode & 0o777) | process.umask();

async function ask(lease, ...args) {
  const answer = await git(lease.path, '--no-optional-locks', ...args);
  return answer === '' ? [] : answer.split('\n').map(line => `git ${args[0]}: ${line}`);
}

/** Processes that stand in a directory or below; none where there is no /proc. */
export function listProcesses(directory) {
  const isInside = place => place === directory || place.startsWith(`${directory}/`);
  return listNumbers('/proc').filter(pid => {
    try {
      return isInside(readlinkSync(`/proc/${pid}/cwd`));
    } catch {
      return false;
    }
  });
}

function listNumbers(directory) {
  try {
    return readdirSync(directory).filter(name => /^\d+$/.test(name));
  } catch {
    return [];
  }
}
