import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { EvalBase } from '../../domain/batch/eval-item.js';
import { quoteBytePath } from '../../git/byte-path.js';
import type { Context } from '../../operations/context.js';
import { fetchCommit } from './mirror.js';
import { type BaseFile, listDirectoryFiles, listGivenFiles } from './sealed-base-files.js';

/** The source of a sealed base. */
export interface BaseSource {
  /** The same for the same files. */
  readonly hash: string;
  /** Writes the one commit, and `refs/heads/main`, into a git directory without objects. Returns its id. */
  write(gitDir: string, signal: AbortSignal | undefined): Promise<string>;
}

/** BASE_UNAVAILABLE. */
export async function describeSource(
  context: Pick<Context, 'store' | 'git' | 'ids' | 'now' | 'self' | 'places'>,
  base: EvalBase,
  signal: AbortSignal | undefined,
): Promise<BaseSource> {
  switch (base.kind) {
    case 'files':
      return describeFiles(context, listGivenFiles(base));
    case 'directory':
      return describeFiles(context, listDirectoryFiles(base.directory));
    case 'git': {
      const fetched = await fetchCommit(context, base, signal);
      return {
        hash: digest([fetched.commit]),
        write: (gitDir, ends) => takeFromMirror(context, fetched, gitDir, ends),
      };
    }
  }
}

function describeFiles({ git }: Pick<Context, 'git'>, files: readonly BaseFile[]): BaseSource {
  const parts = files.flatMap(({ mode, path, hash }) => [mode, path, hash]);
  return {
    hash: digest(['files', ...parts]),
    write: async (gitDir, signal) => {
      const config = ['fastimport.unpackLimit=0'];
      const stdin = Readable.from(describeImport(files));
      await git.run(['fast-import', '--quiet', '--done'], { gitDir, stdin, config, signal });
      return git.text(['rev-parse', '--verify', 'refs/heads/main'], { gitDir });
    },
  };
}

const digest = (parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);

/** A fixed author and date, so that the same files give the same commit everywhere. */
const PERSON = { name: 'Carrel', email: 'carrel@localhost', date: '946684800 +0000' };
const MESSAGE = 'The files that the task starts from\n';

/** One process writes all objects and the ref, byte for byte: no filter runs and no line ending changes. */
function* describeImport(files: readonly BaseFile[]): Generator<Buffer | string> {
  const who = `${PERSON.name} <${PERSON.email}> ${PERSON.date}`;
  yield `commit refs/heads/main\nauthor ${who}\ncommitter ${who}\ndata ${MESSAGE.length}\n${MESSAGE}`;
  for (const file of files) {
    const content = file.read();
    yield `M ${file.mode} inline ${quoteBytePath(file.path)}\ndata ${content.length}\n`;
    if (content.length > 0) yield content;
    yield '\n';
  }
  yield 'done\n';
}

/** The commit's tree under a commit without parents, and nothing else. */
async function takeFromMirror(
  { git }: Pick<Context, 'git'>,
  { mirror, commit }: { readonly mirror: string; readonly commit: string },
  gitDir: string,
  signal: AbortSignal | undefined,
): Promise<string> {
  const { name, email, date } = PERSON;
  const env = Object.assign(
    {},
    ...['AUTHOR', 'COMMITTER'].map(role => ({
      [`GIT_${role}_NAME`]: name,
      [`GIT_${role}_EMAIL`]: email,
      [`GIT_${role}_DATE`]: date,
    })),
  ) as Record<string, string>;
  const tree = await git.text(['rev-parse', '--verify', `${commit}^{tree}`], { gitDir: mirror });
  const sealed = await git.text(['commit-tree', tree], { gitDir: mirror, env, stdin: MESSAGE });
  const flags = [
    '--quiet',
    '--update-head-ok',
    '--no-tags',
    '--no-write-fetch-head',
    '--no-recurse-submodules',
  ];
  const config = ['protocol.file.allow=always', 'protocol.version=2', 'fetch.unpackLimit=1'];
  const words = ['fetch', ...flags, '--end-of-options', mirror, `${sealed}:refs/heads/main`];
  await git.run(words, { gitDir, config: [...config, 'core.logAllRefUpdates=false'], signal });
  return sealed;
}
