import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf } from '../domain/error.js';

/**
 * A git directory of its own for one work tree: refs, stash, index, configuration and hooks are nobody else's, and the
 * objects are borrowed from the repository. Whatever is done in it, the repository does not notice.
 */
export interface PrivateGit {
  readonly gitDir: string;
  readonly workTree: string;
}

export interface PrivateGitRequest extends PrivateGit {
  /** The repository that objects and configuration are borrowed from. */
  readonly commonDir: string;
  /** What HEAD stands at, detached. */
  readonly commit: string;
}

/**
 * Written by hand, as gitrepository-layout(5) describes it: `git init` and its configuration calls take 30 ms, this takes
 * one. The repository's configuration is included, for filters, line endings, identity and remotes; what would make it
 * the repository's own work tree is overridden below. Neither directory needs to exist.
 */
export async function writePrivateGit(request: PrivateGitRequest): Promise<void> {
  const { gitDir, workTree, commonDir, commit } = request;
  await mkdir(join(gitDir, 'objects', 'info'), { recursive: true });
  await Promise.all([
    mkdir(join(gitDir, 'refs', 'heads'), { recursive: true }),
    mkdir(join(gitDir, 'info')),
    mkdir(workTree, { recursive: true }),
  ]);
  await Promise.all([
    writeFile(join(gitDir, 'HEAD'), `${commit}\n`),
    writeFile(join(gitDir, 'config'), describeConfig(commonDir, commit)),
    writeFile(join(gitDir, 'objects', 'info', 'alternates'), `${join(commonDir, 'objects')}\n`),
    ...['exclude', 'attributes'].map(name => copyInfo(commonDir, gitDir, name)),
    writeFile(join(workTree, '.git'), linkTo(gitDir)),
  ]);
}

export const linkTo = (gitDir: string): string => `gitdir: ${gitDir}\n`;

/** git looks for the format in the file itself and not in those that it includes. */
function describeConfig(commonDir: string, commit: string): string {
  const isSha256 = commit.length === 64;
  return [
    '[core]',
    `\trepositoryFormatVersion = ${isSha256 ? 1 : 0}`,
    ...(isSha256 ? ['[extensions]', '\tobjectFormat = sha256'] : []),
    '[include]',
    `\tpath = ${quote(join(commonDir, 'config'))}`,
    '[core]',
    '\tbare = false',
    '\tlogAllRefUpdates = true',
    '[gc]',
    '\tauto = 0',
    '[maintenance]',
    '\tauto = false',
    '',
  ].join('\n');
}

const quote = (value: string): string => `"${value.replaceAll(/["\\]/g, '\\$&')}"`;

async function copyInfo(commonDir: string, gitDir: string, name: string): Promise<void> {
  await copyFile(join(commonDir, 'info', name), join(gitDir, 'info', name)).catch(error => {
    if (errnoOf(error) !== 'ENOENT') throw error;
  });
}
