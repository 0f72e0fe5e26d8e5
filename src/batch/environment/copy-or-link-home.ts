import { constants, lstatSync, readdirSync } from 'node:fs';
import { cp, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';

/**
 * Copies or links one entry of the user's home directory into that of an attempt. It is unknown where an unknown agent keeps
 * its memory, so every small directory that starts with a dot, or is in one of the places for settings and
 * data, is copied: an attempt sees the user's files, and no other attempt reads what it writes. Toolchains, caches and
 * credentials that programs renew are linked, and so are large directories.
 */
export async function copyOrLink(from: string, to: string, path: string): Promise<void> {
  if (!mayBeMemory(path) || !isSmallDirectory(from)) return symlink(from, to);
  await cp(from, to, { recursive: true, verbatimSymlinks: true, mode: constants.COPYFILE_FICLONE });
}

/** Keyed by path in the home directory. */
const mayBeMemory = (path: string): boolean =>
  (/^\.[^/]+$/.test(path) || /^\.(config|local\/(share|state))\/[^/]+$/.test(path)) &&
  !LINKED.has(basename(path).replace(/^\./, ''));

const LINKED: ReadonlySet<string> = new Set([
  ...['ssh', 'gnupg', 'aws', 'azure', 'gcloud', 'kube', 'docker', 'gh', 'git', 'containers', 'keyrings'],
  ...[
    'cache',
    'npm',
    'nvm',
    'yarn',
    'pnpm',
    'bun',
    'deno',
    'cargo',
    'rustup',
    'go',
    'pyenv',
    'rbenv',
    'conda',
  ],
  ...['m2', 'gradle', 'sdkman', 'mise', 'asdf', 'nix-profile', 'local', 'systemd'],
]);

const MOST_ENTRIES = 1_000;
const MOST_BYTES = 8 * 1024 ** 2;

/** Files and directories only: sockets and pipes cannot be copied. */
function isSmallDirectory(directory: string): boolean {
  let [entries, bytes] = [0, 0];
  const pending = [directory];
  try {
    if (!lstatSync(directory).isDirectory()) return false;
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      for (const entry of readdirSync(next, { withFileTypes: true })) {
        const path = join(next, entry.name);
        if (entry.isDirectory()) pending.push(path);
        else if (entry.isFile()) bytes += lstatSync(path).size;
        else if (!entry.isSymbolicLink()) return false;
        entries += 1;
        if (entries > MOST_ENTRIES || bytes > MOST_BYTES) return false;
      }
    }
    return true;
  } catch {
    // Unreadable entries cannot be copied.
    return false;
  }
}
