import { mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ignoreMissing } from '../../domain/error/error.js';
import type { Git } from '../../git/git.js';
import { INSIDE } from '../../runtime/policy.js';
import type { Sandbox } from '../../runtime/runtime.js';
import { findFailedStep, recordFailedStep } from '../failed-steps.js';
import type { SandboxPlace } from '../sandbox-place.js';
import { listOutsideRefs, type OutsideRef } from './outside-refs.js';

export interface ShowRefsRequest {
  readonly git: Git;
  readonly place: SandboxPlace;
  readonly commonDir: string;
  readonly run: Sandbox['run'];
  readonly signal?: AbortSignal | undefined;
}

/**
 * Updates the copy of the repository's branches inside when they have changed. Tags stay: the agent may have its own. A failure
 * is ignored: the next call tries again.
 */
export async function showOutsideRefs(request: ShowRefsRequest): Promise<void> {
  const { place, commonDir } = request;
  const marks = await readMarks(commonDir);
  const shown = await readShown(place);
  if (shown?.marks === marks || (await findFailedStep(place, 'show-refs', ''))) return;
  const refs = (await listOutsideRefs(request.git, commonDir)).filter(isBranch);
  const commands = listCommands(shown?.refs ?? [], refs);
  if (commands === '' || (await updateInside(request, commands))) await writeShown(place, { marks, refs });
}

/** For a new private git directory, which starts with all of them. */
export async function listRefsToShow(
  git: Git,
  place: SandboxPlace,
  commonDir: string,
): Promise<OutsideRef[]> {
  const marks = await readMarks(commonDir);
  const refs = await listOutsideRefs(git, commonDir);
  await writeShown(place, { marks, refs: refs.filter(isBranch) });
  return refs;
}

const isBranch = ({ ref }: OutsideRef): boolean => ref.startsWith('refs/remotes/');

/** What was exported last, and the state of the repository's files then. */
interface Shown {
  readonly marks: string;
  readonly refs: readonly OutsideRef[];
}

const fileOf = (place: SandboxPlace): string => join(place.root, 'shown-refs.json');

async function readShown(place: SandboxPlace): Promise<Shown | undefined> {
  const text = await readFile(fileOf(place), 'utf8').catch(ignoreMissing);
  return text === undefined ? undefined : (JSON.parse(text) as Shown);
}

/** Commands of one workspace may start at the same moment, so each has its own draft. */
async function writeShown(place: SandboxPlace, shown: Shown): Promise<void> {
  const drafts = await mkdtemp(`${fileOf(place)}.`);
  try {
    await writeFile(join(drafts, 'draft'), JSON.stringify(shown));
    await rename(join(drafts, 'draft'), fileOf(place));
  } finally {
    await rm(drafts, { recursive: true, force: true });
  }
}

/** Every change of a ref makes and renames a file, and so gives its directory a new time; 0.2 ms against 4 ms for git. */
async function readMarks(commonDir: string): Promise<string> {
  const folders = await listFolders(join(commonDir, 'refs', 'heads'));
  const places = [join(commonDir, 'packed-refs'), join(commonDir, 'reftable'), ...folders];
  const infos = await Promise.all(places.map(path => stat(path, { bigint: true }).catch(ignoreMissing)));
  return infos.map(info => info?.mtimeNs ?? '-').join(' ');
}

async function listFolders(folder: string): Promise<string[]> {
  const entries = (await readdir(folder, { withFileTypes: true }).catch(ignoreMissing)) ?? [];
  const below = entries
    .filter(entry => entry.isDirectory())
    .map(({ name }) => listFolders(join(folder, name)));
  return [folder, ...(await Promise.all(below)).flat()];
}

/**
 * For `git update-ref --stdin -z`, in two transactions: in one a branch `a/b` can't come where a branch `a` was (seen with
 * git 2.39).
 */
function listCommands(before: readonly OutsideRef[], now: readonly OutsideRef[]): string {
  const known = new Map(before.map(({ ref, id }) => [ref, id]));
  const present = new Set(now.map(({ ref }) => ref));
  const gone = before.filter(({ ref }) => !present.has(ref)).map(({ ref }) => `delete ${ref}\0\0`);
  const changed = now.filter(({ ref, id }) => known.get(ref) !== id);
  const updates = changed.map(({ ref, id }) => `update ${ref}\0${id}\0\0`);
  return [gone, updates].map(commands => formatTransaction(commands)).join('');
}

const formatTransaction = (commands: readonly string[]): string =>
  commands.length === 0 ? '' : `start\0${commands.join('')}commit\0`;

async function updateInside({ place, run, signal }: ShowRefsRequest, commands: string): Promise<boolean> {
  const result = await run({
    command: ['git', '-c', 'core.hooksPath=/dev/null', 'update-ref', '--stdin', '-z'],
    environment: { GIT_DIR: INSIDE.git },
    stdin: Buffer.from(commands, 'latin1'),
    timeoutMs: TIME_MS,
    signal,
    maxOutputBytes: 64 * 1024,
  });
  if (result.timedOut) await recordFailedStep(place, 'show-refs', '');
  return result.exitCode === 0;
}

const TIME_MS = 60_000;
