import {
  copyFile,
  lstat,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { allInOrder } from '../../domain/all-in-order.js';
import { ignoreMissing } from '../../domain/error/error.js';
import { replaceFile } from '../../exec/filesystem/replace-file.js';
import { quoteBytePath, toBytePath } from '../../git/byte-path.js';
import type { Git } from '../../git/git.js';
import { linkTo } from '../../git/repository/private-git.js';
import { type InsidePlaces, MOUNTED } from '../policy/inside-paths.js';
import { emptyFile, listObjectStores } from '../policy/object-stores.js';
import type { SandboxPlace } from '../sandbox-place.js';
import { formatOutsideRefs } from './outside-refs.js';
import { describePrivateConfig } from './private-config.js';
import { listRefsToShow } from './show-outside-refs.js';

export interface PrivateGitDirectoryRequest {
  readonly git: Git;
  readonly place: SandboxPlace;
  /** The repository's git directory. */
  readonly commonDir: string;
  /** The worktree's own part of it, with its index. */
  readonly adminDir: string;
  /** Short name of the workspace's branch. */
  readonly branch: string;
  /** The branch's commit inside. */
  readonly commit: string;
  /** Those of a runtime that has mounts by default. */
  readonly insidePlaces?: InsidePlaces | undefined;
  /** Completes it before it gets its name, while nothing inside could have written it. */
  readonly finish?: ((gitDir: string) => Promise<void>) | undefined;
}

/**
 * Creates the git directory that a sandbox sees instead of the repository's. Written file by file, as `writePrivateGit` does for
 * slots; but the repository's configuration is not included: it names programs and paths that don't exist inside, and would
 * reveal what the user did not mean to share. Settings that affect the bytes of files are copied.
 *
 * An existing one is left unchanged. It is built under a temporary name and renamed, so that it is always complete, and a killed
 * call is repeated by the next one.
 */
export async function createPrivateGit(request: PrivateGitDirectoryRequest): Promise<void> {
  const { place } = request;
  await mkdir(place.root, { recursive: true, mode: 0o700 });
  await replaceFile(place.pointerFile, linkTo((request.insidePlaces ?? MOUNTED).git));
  await replaceFile(emptyFile(place), '');
  if (await lstat(place.gitDir).catch(ignoreMissing)) return;
  const draft = `${place.gitDir}.draft`;
  await rm(draft, { recursive: true, force: true });
  await writePrivateFiles(request, draft);
  await request.finish?.(draft);
  await rename(draft, place.gitDir);
}

async function writePrivateFiles(request: PrivateGitDirectoryRequest, gitDir: string): Promise<void> {
  const branchFile = join(gitDir, 'refs', 'heads', request.branch);
  const folders = [join(gitDir, 'objects', 'info'), join(gitDir, 'info'), dirname(branchFile)];
  await Promise.all(folders.map(folder => mkdir(folder, { recursive: true })));
  const [config, refs, exclude, alternates] = await Promise.all([
    describePrivateConfig(request.git, request.adminDir, request.commit),
    listRefsToShow(request.git, request.place, request.commonDir),
    readExclude(request),
    listObjectStores(request.commonDir),
  ]);
  await allInOrder([
    writeFile(join(gitDir, 'HEAD'), `ref: refs/heads/${request.branch}\n`),
    writeFile(branchFile, `${request.commit}\n`),
    writeFile(join(gitDir, 'config'), config),
    writeFile(join(gitDir, 'packed-refs'), formatOutsideRefs(refs), 'latin1'),
    writeFile(join(gitDir, 'info', 'exclude'), exclude),
    writeFile(join(gitDir, 'objects', 'info', 'alternates'), formatAlternates(request, alternates)),
    copyIfThere(join(request.commonDir, 'info', 'attributes'), join(gitDir, 'info', 'attributes')),
    copyIfThere(join(request.commonDir, 'shallow'), join(gitDir, 'shallow')),
    copyIfThere(join(request.adminDir, 'info', 'sparse-checkout'), join(gitDir, 'info', 'sparse-checkout')),
    copyIndex(request.adminDir, gitDir),
  ]);
}

function formatAlternates(
  { insidePlaces: inside = MOUNTED }: PrivateGitDirectoryRequest,
  stores: readonly string[],
): string {
  const lines = stores.map((store, at) => inside.store(at, store)).map(quotePath);
  return lines.map(line => `${line}\n`).join('');
}

/** As in C where the plain path would be read otherwise (gitrepository-layout(5)). */
const quotePath = (path: string): string =>
  /^["#]|[\n\\]/.test(path) ? quoteBytePath(toBytePath(path)) : path;

/**
 * What git ignores outside it has to ignore inside, or `git add --all` would commit it: the user's own list, which does not
 * exist inside, and then the repository's, which takes precedence. A list in `$XDG_CONFIG_HOME` is not used.
 */
async function readExclude({ git, adminDir, commonDir }: PrivateGitDirectoryRequest): Promise<Buffer> {
  const query = ['config', '--type=path', '--default', '~/.config/git/ignore', '--get', 'core.excludesFile'];
  const answer = await git.run(query, { gitDir: adminDir, answers: [0, 1, 128] });
  const own = answer.stdout.toString('utf8').replace(/\n$/, '');
  const lists = [own, join(commonDir, 'info', 'exclude')].filter(file => file.startsWith('/'));
  const texts = await Promise.all(lists.map(file => readFile(file).catch(() => Buffer.alloc(0))));
  return Buffer.concat(texts.flatMap(text => [text, Buffer.from('\n')]));
}

/**
 * So that the first `git status` inside need not read every file: they are the same files, with the same inodes and
 * times, and git does not compare devices. It keeps its own time, by which git decides what it must read; never a later
 * one, to which Node rounds a Date.
 */
async function copyIndex(adminDir: string, gitDir: string): Promise<void> {
  const names = await readdir(adminDir);
  for (const name of names.filter(candidate => /^(index|sharedindex\.[0-9a-f]+)$/.test(candidate))) {
    const { mtimeMs } = await stat(join(adminDir, name));
    await copyFile(join(adminDir, name), join(gitDir, name));
    const seconds = Math.floor(mtimeMs) / 1000;
    await utimes(join(gitDir, name), seconds, seconds);
  }
}

async function copyIfThere(from: string, to: string): Promise<void> {
  await copyFile(from, to).catch(ignoreMissing);
}
