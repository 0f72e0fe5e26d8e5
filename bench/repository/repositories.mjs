import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { childEnvironment, readOutput } from '../system/process.mjs';
import { removeDirectory } from '../system/remove-directory.mjs';
import { tidyRepository } from './clean-up-repository.mjs';
import { writeHistory } from './history.mjs';
import { writeIgnoredTree } from './ignored-tree.mjs';
import { repositorySizes } from './repository-sizes.mjs';

/** Part of the stamp: a cached repository that was made in another way is made anew. */
const FORMAT = 2;

/** The repository of a size, from the cache or made now. */
export async function openRepository(cache, sizeName) {
  const directory = join(cache, 'repositories', sizeName);
  if (!(await isIntact(directory, sizeName))) await makeRepository(directory, sizeName);
  await tidyRepository(directory);
  const commits = (await git(directory, 'rev-list', '--first-parent', 'main')).split('\n');
  return { directory, sizeName, head: commits[0], near: commits[1], far: commits.at(-1) };
}

async function isIntact(directory, sizeName) {
  const stamp = join(directory, '.git', 'bench-stamp.json');
  if (!existsSync(stamp)) return false;
  const { head, ...made } = JSON.parse(readFileSync(stamp, 'utf8'));
  if (JSON.stringify(made) !== JSON.stringify(descriptionOf(sizeName))) return false;
  const [found, changes] = [
    await git(directory, 'rev-parse', 'HEAD'),
    await git(directory, 'status', '--porcelain'),
  ];
  return found === head && changes === '';
}

const descriptionOf = sizeName => ({ format: FORMAT, ...repositorySizes[sizeName] });

async function makeRepository(directory, sizeName) {
  const size = repositorySizes[sizeName];
  console.error(
    `making repository ${sizeName}: ${size.files} files, ${size.bytes / 1e6} MB, ${size.commits} commits`,
  );
  const draft = `${directory}.draft`;
  for (const place of [directory, draft]) removeDirectory(place);
  mkdirSync(draft, { recursive: true });
  await git(draft, 'init', '--quiet', '--initial-branch=main');
  await importHistory(draft, size);
  await git(draft, 'reset', '--quiet', '--hard', 'main');
  writeIgnoredTree(draft, size.ignoredFiles);
  const stamp = { ...descriptionOf(sizeName), head: await git(draft, 'rev-parse', 'HEAD') };
  writeFileSync(join(draft, '.git', 'bench-stamp.json'), JSON.stringify(stamp));
  renameSync(draft, directory);
  // The index knew the files by the time at which the draft's directory was made; the rename does not change them.
  await git(directory, 'status', '--porcelain');
}

/** Light compression and no deltas: what matters here is a checkout, which inflates in either case. */
async function importHistory(directory, size) {
  const args = [
    '-c',
    'pack.compression=1',
    '-c',
    'fastimport.unpackLimit=0',
    'fast-import',
    '--quiet',
    '--done',
    '--depth=0',
  ];
  const stdio = ['pipe', 'inherit', 'inherit'];
  const child = spawn('git', args, { cwd: directory, env: childEnvironment(), stdio });
  const ended = new Promise(resolve => child.once('exit', resolve));
  await pipeline(Readable.from(writeHistory(size), { objectMode: true }), child.stdin);
  if ((await ended) !== 0) throw new Error('git fast-import failed');
}

const git = (directory, ...args) =>
  readOutput('git', ['-C', directory, ...args], { env: childEnvironment() });
