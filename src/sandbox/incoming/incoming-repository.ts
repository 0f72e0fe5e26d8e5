import { mkdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { allInOrder } from '../../domain/all-in-order.js';
import { errnoOf, ignoreMissing, isCarrelError } from '../../domain/error/error.js';
import { withScratchDirectory } from '../../git/disk/scratch-directory.js';
import { makeSharedDirectory } from '../../git/disk/shared-directory.js';
import type { Git, GitOptions } from '../../git/git.js';
import type { ImportLimits } from './import-limits.js';

/**
 * Where commits arrive: a bare repository for one push, on the file system of the target repository, whose objects it
 * borrows. Nothing that a client sends can reach beyond this directory, because git never gets another path to write to; and
 * afterwards only one ref in it is read.
 */
export interface IncomingRepository {
  readonly gitDir: string;
  /** Full name of the one ref that counts. */
  readonly ref: string;
  /** Where git writes errors, as JSON lines. */
  readonly traceFile: string;
  /** For git on it: no other configuration, nothing fetched, no large object in memory. */
  readonly options: Pick<GitOptions, 'gitDir' | 'env'>;
}

export interface IncomingRequest {
  readonly git: Git;
  readonly commonDir: string;
  readonly workspaceId: string;
  readonly branch: string;
  /** The branch's commit in the repository; null when it does not exist. */
  readonly tip: string | null;
  readonly isSha256: boolean;
  readonly limits: ImportLimits;
}

/** Runs `action` with a new incoming repository that is deleted afterwards. */
export async function withIncoming<T>(
  request: IncomingRequest,
  action: (incoming: IncomingRepository) => Promise<T>,
): Promise<T> {
  const parent = incomingDir(request.commonDir, request.workspaceId);
  try {
    return await inNewDirectory(parent, async directory => {
      const incoming = describe(request, directory);
      await write(request, incoming);
      return action(incoming);
    });
  } finally {
    await removeIfEmpty(parent);
    await removeIfEmpty(dirname(parent));
  }
}

/** All incoming repositories of a workspace, each named after the process that made it. */
export const incomingDir = (commonDir: string, workspaceId: string): string =>
  join(commonDir, 'carrel', `incoming-${workspaceId}`);

/** The parent may be removed as empty by another process between the two calls: then try again. */
async function inNewDirectory<T>(parent: string, action: (directory: string) => Promise<T>): Promise<T> {
  let isMade = false;
  for (let attempt = 1; ; attempt++) {
    await makeSharedDirectory(parent);
    try {
      return await withScratchDirectory(parent, directory => {
        isMade = true;
        return action(directory);
      });
    } catch (error) {
      const isGone = isCarrelError(error, 'TEMPORARY_NOT_WRITABLE') && error.details.problem === 'ENOENT';
      if (isMade || !isGone || attempt === 10) throw error;
    }
  }
}

export async function removeIfEmpty(directory: string): Promise<void> {
  await rmdir(directory).catch(error => {
    if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(errnoOf(error) ?? '')) throw error;
  });
}

/** One allocation of git's. Its own deltas are of objects below a mebibyte; an object that needs more is an attack. */
const LARGEST_ALLOCATION = '64m';

function describe({ branch }: IncomingRequest, gitDir: string): IncomingRepository {
  const env = {
    HOME: '/nonexistent',
    XDG_CONFIG_HOME: '/nonexistent',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_NO_LAZY_FETCH: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_ALLOC_LIMIT: LARGEST_ALLOCATION,
  };
  const traceFile = join(gitDir, 'trace');
  return { gitDir, ref: `refs/heads/${branch}`, traceFile, options: { gitDir, env } };
}

async function write(request: IncomingRequest, { gitDir, ref }: IncomingRepository): Promise<void> {
  const objects = join(gitDir, 'objects');
  await mkdir(join(objects, 'info'), { recursive: true });
  await mkdir(dirname(join(gitDir, ref)), { recursive: true });
  // Relative, because such a path needs no quoting whatever the repository's directory is called.
  const alternates = `${relative(objects, join(request.commonDir, 'objects'))}\n`;
  const shallow = await readFile(join(request.commonDir, 'shallow')).catch(ignoreMissing);
  await allInOrder([
    writeFile(join(gitDir, 'HEAD'), `ref: ${ref}\n`),
    writeFile(join(gitDir, 'config'), await describeConfig(request, ref)),
    writeFile(join(objects, 'info', 'alternates'), alternates),
    ...(request.tip === null ? [] : [writeFile(join(gitDir, ref), `${request.tip}\n`)]),
    ...(shallow ? [writeFile(join(gitDir, 'shallow'), shallow)] : []),
  ]);
}

async function describeConfig(request: IncomingRequest, ref: string): Promise<string> {
  const { isPartial, sharing } = await readRepositoryFormat(request.git, request.commonDir);
  return [
    '[core]',
    `\trepositoryFormatVersion = ${request.isSha256 || isPartial ? 1 : 0}`,
    '\tbare = true',
    '\thooksPath = /dev/null',
    '\tlogAllRefUpdates = false',
    // Larger ones go through git in pieces.
    '\tbigFileThreshold = 1m',
    // Objects that the repository has need not be sent or checked again. Excludes refs of Carrel and `git stash`.
    '\talternateRefsPrefixes = refs/heads refs/tags refs/remotes',
    ...(sharing === undefined ? [] : [`\tsharedRepository = ${sharing}`]),
    ...(request.isSha256 ? ['[extensions]', '\tobjectFormat = sha256'] : []),
    ...(isPartial
      ? ['[extensions]', '\tpartialClone = origin', '[remote "origin"]', '\tpromisor = true']
      : []),
    '[pack]',
    '\tthreads = 1',
    ...describeReceive(request.limits, ref),
    '',
  ].join('\n');
}

const describeReceive = ({ packBytes }: ImportLimits, ref: string): string[] => [
  '[receive]',
  '\tfsckObjects = true',
  `\tmaxInputSize = ${packBytes}`,
  // Always one pack, which is then moved as it is.
  '\tunpackLimit = 1',
  '\tautogc = false',
  '\tdenyDeletes = true',
  '\tdenyCurrentBranch = ignore',
  '\tadvertisePushOptions = false',
  '\thideRefs = refs',
  `\thideRefs = "!${ref.replaceAll('"', '\\"')}"`,
  '[receive "fsck"]',
  ...['badFilemode', 'gitattributesSymlink', 'gitignoreSymlink', 'mailmapSymlink'].map(
    id => `\t${id} = error`,
  ),
];

/** What the files that are moved have to agree with. */
async function readRepositoryFormat(git: Git, commonDir: string) {
  const query = ['config', '-z', '--get-regexp', '^(core\\.sharedrepository|extensions\\.partialclone)$'];
  const { stdout } = await git.run(query, { gitDir: commonDir, answers: [0, 1] });
  const records = stdout.toString('utf8').split('\0').filter(Boolean);
  const values = new Map(records.map(record => [record.split('\n')[0], record.split('\n')[1] ?? 'true']));
  const sharing = values.get('core.sharedrepository');
  return {
    isPartial: values.has('extensions.partialclone'),
    sharing: sharing !== undefined && /^\w+$/.test(sharing) ? sharing : undefined,
  };
}
