import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { type SealedBase, sealBase, sealSource } from '../../../batch/base/sealed-base.js';
import type { BaseSource } from '../../../batch/base/sealed-base-source.js';
import type { EvalItem } from '../../../domain/batch/eval-item.js';
import { carrelError, isCarrelError } from '../../../domain/error/error.js';
import type { Job } from '../../../domain/fleet/job.js';
import type { Context } from '../../../operations/context.js';

type BaseContext = Pick<Context, 'store' | 'git' | 'ids' | 'now' | 'self' | 'places'>;

/** A bundle of git with the one commit of a sealed base. */
export interface PackedBase {
  readonly commit: string;
  /** The path of the bundle, below the given directory. */
  readonly file: string;
}

/** Writes the sealed base of an item to a bundle. BASE_UNAVAILABLE. */
export async function packBase(
  context: BaseContext,
  item: Pick<EvalItem, 'base'>,
  directory: string,
  signal?: AbortSignal,
): Promise<PackedBase> {
  const { gitDir, commit } = await sealBase(context, item.base, { signal });
  const file = join(directory, `${commit}.bundle`);
  // With one thread the same base gives the same bytes, so that it is stored once.
  const config = ['pack.threads=1'];
  await context.git.run(['bundle', 'create', '--quiet', file, BRANCH], { gitDir, config, signal });
  return { commit, file };
}

const BRANCH = 'refs/heads/main';

/**
 * The sealed base of a bundle, in the cache of this host, where all attempts share it. It is used only if it holds
 * exactly the commit that the job names, without parents, and if git finds every object intact. BASE_UNAVAILABLE.
 */
export async function unpackBase(
  context: BaseContext,
  { commit }: Job['base'],
  findBundle: () => Promise<string>,
  signal?: AbortSignal,
): Promise<SealedBase> {
  const source: BaseSource = {
    hash: createHash('sha256').update(`bundle ${commit}`).digest('hex').slice(0, 32),
    write: async (gitDir, ends) => {
      const bundle = await findBundle();
      await fetchBundle(context, { bundle, gitDir, commit }, ends);
      await requireIntact(context, gitDir, commit);
      return commit;
    },
  };
  const sealed = await sealSource(context, source, { signal });
  if (sealed.commit !== commit) throw unusable(commit, `its base has the commit ${sealed.commit}`);
  return sealed;
}

const unusable = (commit: string, reason: string, cause?: unknown) =>
  carrelError('BASE_UNAVAILABLE', { base: `bundle of ${commit}`, reason }, cause);

async function fetchBundle(
  { git }: Pick<Context, 'git'>,
  { bundle, gitDir, commit }: { readonly bundle: string; readonly gitDir: string; readonly commit: string },
  signal: AbortSignal | undefined,
): Promise<void> {
  const flags = [
    ...['--quiet', '--update-head-ok', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules'],
  ];
  const config = ['fetch.unpackLimit=1', 'core.logAllRefUpdates=false'];
  try {
    const words = ['fetch', ...flags, '--end-of-options', bundle, `${BRANCH}:${BRANCH}`];
    await git.run(words, { gitDir, config, signal });
  } catch (error) {
    if (!isCarrelError(error, 'GIT_FAILED')) throw error;
    throw unusable(commit, 'git cannot read the bundle', error);
  }
  const found = await git.text(['rev-parse', '--verify', BRANCH], { gitDir });
  if (found !== commit) throw unusable(commit, `the bundle has the commit ${found}`);
}

/** Every object has the hash that is its name, and none of a tree leads out of it. */
async function requireIntact({ git }: Pick<Context, 'git'>, gitDir: string, commit: string): Promise<void> {
  const config = ['hasDot', 'hasDotdot', 'hasDotgit', 'fullPathname', 'nullSha1'].map(
    name => `fsck.${name}=error`,
  );
  const words = ['fsck', '--full', '--no-dangling', '--no-progress'];
  const { exitCode } = await git.run(words, { gitDir, config, answers: ANY_STATUS });
  if (exitCode !== 0) throw unusable(commit, 'git fsck finds damaged objects in it');
  const commits = await git.text(['rev-list', '--count', '--all'], { gitDir });
  if (commits !== '1') throw unusable(commit, `it has ${commits} commits, expected one`);
}

/** fsck adds up what it finds. */
const ANY_STATUS = Array.from({ length: 128 }, (_, status) => status);
