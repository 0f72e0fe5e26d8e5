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
import { ignoreMissing } from '../domain/error.js';
import type { Git } from '../git/git.js';
import { linkTo } from '../git/private-git.js';
import { INSIDE } from '../runtime/policy.js';
import { emptyFile, insideStore, listObjectStores } from './object-stores.js';
import { formatOutsideRefs } from './outside-refs.js';
import type { SandboxPlace } from './place.js';
import { describePrivateConfig } from './private-config.js';
import { listRefsToShow } from './show-outside-refs.js';

export interface PrivateFaceRequest {
  readonly git: Git;
  readonly place: SandboxPlace;
  /** The repository's git directory. */
  readonly commonDir: string;
  /** The worktree's own part of it, with its index. */
  readonly adminDir: string;
  /** Short name of the workspace's branch. */
  readonly branch: string;
  /** What the branch stands at inside. */
  readonly commit: string;
}

/**
 * Makes the git directory that a sandbox sees instead of the repository's. Written by hand, as `writePrivateGit` does it
 * for slots; but nothing of the repository is included: its configuration names programs and paths that are not inside,
 * and would show what the user did not mean to show. What decides over the bytes of files is copied.
 *
 * One that is there is left as it is. It is put together aside and renamed into place, so that whatever is there is
 * whole, and a call that was killed is made good by the next one.
 */
export async function createPrivateFace(request: PrivateFaceRequest): Promise<void> {
  const { place } = request;
  await mkdir(place.root, { recursive: true, mode: 0o700 });
  await putFile(place.pointerFile, linkTo(INSIDE.git));
  await putFile(emptyFile(place), '');
  if (await lstat(place.gitDir).catch(ignoreMissing)) return;
  const draft = `${place.gitDir}.draft`;
  await rm(draft, { recursive: true, force: true });
  await writeFace(request, draft);
  await rename(draft, place.gitDir);
}

async function putFile(file: string, content: string): Promise<void> {
  await writeFile(`${file}.draft`, content);
  await rename(`${file}.draft`, file);
}

async function writeFace(request: PrivateFaceRequest, gitDir: string): Promise<void> {
  const branchFile = join(gitDir, 'refs', 'heads', request.branch);
  const folders = [join(gitDir, 'objects', 'info'), join(gitDir, 'info'), dirname(branchFile)];
  await Promise.all(folders.map(folder => mkdir(folder, { recursive: true })));
  const [config, refs, exclude, alternates] = await Promise.all([
    describePrivateConfig(request.git, request.adminDir, request.commit),
    listRefsToShow(request.git, request.place, request.commonDir),
    readExclude(request),
    listObjectStores(request.commonDir),
  ]);
  await Promise.all([
    writeFile(join(gitDir, 'HEAD'), `ref: refs/heads/${request.branch}\n`),
    writeFile(branchFile, `${request.commit}\n`),
    writeFile(join(gitDir, 'config'), config),
    writeFile(join(gitDir, 'packed-refs'), formatOutsideRefs(refs), 'latin1'),
    writeFile(join(gitDir, 'info', 'exclude'), exclude),
    writeFile(join(gitDir, 'objects', 'info', 'alternates'), formatAlternates(alternates)),
    copyIfThere(join(request.commonDir, 'info', 'attributes'), join(gitDir, 'info', 'attributes')),
    copyIfThere(join(request.commonDir, 'shallow'), join(gitDir, 'shallow')),
    copyIfThere(join(request.adminDir, 'info', 'sparse-checkout'), join(gitDir, 'info', 'sparse-checkout')),
    copyIndex(request.adminDir, gitDir),
  ]);
}

const formatAlternates = (stores: readonly string[]): string =>
  stores.map((_, at) => `${insideStore(at)}\n`).join('');

/**
 * What git ignores outside it has to ignore inside, or `git add --all` would commit it: the user's own list, which is
 * not inside, and then the repository's, which goes before it. A list in `$XDG_CONFIG_HOME` is not looked for.
 */
async function readExclude({ git, adminDir, commonDir }: PrivateFaceRequest): Promise<Buffer> {
  const query = ['config', '--type=path', '--default', '~/.config/git/ignore', '--get', 'core.excludesFile'];
  const answer = await git.run(query, { gitDir: adminDir, answers: [0, 1, 128] });
  const own = answer.stdout.toString('utf8').replace(/\n$/, '');
  const lists = [own, join(commonDir, 'info', 'exclude')].filter(file => file.startsWith('/'));
  const texts = await Promise.all(lists.map(file => readFile(file).catch(() => Buffer.alloc(0))));
  return Buffer.concat(texts.flatMap(text => [text, Buffer.from('\n')]));
}

/**
 * So that the first `git status` inside need not read every file: they are the same files, with the same inodes and
 * times, and git does not compare devices. It keeps its own time, by which git knows what it must look into; never a later
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
