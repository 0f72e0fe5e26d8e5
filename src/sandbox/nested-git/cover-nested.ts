import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ignoreMissing } from '../../domain/error/error.js';
import { type BytePath, displayPath } from '../../git/byte-path.js';
import type { Sandbox } from '../../runtime/runtime.js';
import type { SandboxPlace } from '../sandbox-place.js';
import { COVERED, type FindRequest, findNestedGit, HALFWAY } from './find-nested.js';

/**
 * Nested repositories in the workspace, such as a dependency that an agent cloned. The agent writes their configuration and
 * hooks, which name programs: when the user's git enters one it runs them, and editors and prompts enter by themselves. So
 * while no command runs inside, each `.git` is *covered*: it is a directory that holds the real one under another name, and
 * git ignores it. The same is done to the `HEAD` of bare repositories, and to links to what agents write outside their
 * workspaces. Before the next command each is put back. Nothing is copied or lost, and a snapshot holds it like any other
 * file.
 *
 * The host only reads names. Renaming happens inside, where a link can't lead out.
 */
export interface CoverRequest extends FindRequest {
  readonly place: Pick<SandboxPlace, 'root'>;
  /** Opens the sandbox; only called when there is something to do. */
  readonly run: (command: Parameters<Sandbox['run']>[0]) => ReturnType<Sandbox['run']>;
}

/** Covers what git would treat as a repository. Returns warnings. */
export async function coverNestedGit(request: CoverRequest): Promise<string[]> {
  const before = await findNestedGit(request);
  if (before.open.length + before.halfway.length === 0) {
    await remember(request, before.covered);
    return describe(before.isComplete, []);
  }
  await runInside(request, FINISH, before.halfway);
  await runInside(request, COVER, before.open);
  const after = await findNestedGit(request);
  await remember(request, after.covered);
  return describe(after.isComplete, after.open);
}

/** Puts back what was covered. Without a list, as after a restore, it is searched. */
export async function uncoverNestedGit(request: CoverRequest): Promise<void> {
  await runInside(request, UNCOVER, (await recall(request)) ?? (await findNestedGit(request)).covered);
}

const MOST_SHOWN = 5;

function describe(isComplete: boolean, open: readonly BytePath[]): string[] {
  const shown = open.slice(0, MOST_SHOWN).map(path => JSON.stringify(displayPath(path)));
  const more = open.length > MOST_SHOWN ? ` and ${open.length - MOST_SHOWN} more` : '';
  return [
    ...(open.length === 0
      ? []
      : [
          `do not run git in ${shown.join(', ')}${more}: the repository was created inside the sandbox and could not be disabled`,
        ]),
    ...(isComplete
      ? []
      : [
          'the workspace has too many files to check all of them for repositories created inside the sandbox',
        ]),
  ];
}

const listFile = ({ place }: CoverRequest): string => join(place.root, 'nested-git.json');

const remember = (request: CoverRequest, covered: readonly BytePath[]): Promise<void> =>
  writeFile(listFile(request), JSON.stringify(covered));

async function recall(request: CoverRequest): Promise<BytePath[] | undefined> {
  const text = await readFile(listFile(request), 'utf8').catch(ignoreMissing);
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    // Interrupted by a crash.
    return undefined;
  }
}

/** Words of one command; the system allows some thousands. */
const PATHS_PER_COMMAND = 200;

async function runInside(request: CoverRequest, script: string, paths: readonly BytePath[]): Promise<void> {
  for (let at = 0; at < paths.length; at += PATHS_PER_COMMAND) {
    const words = paths.slice(at, at + PATHS_PER_COMMAND).map(quoteForPrintf);
    await request.run({
      command: ['sh', '-c', script, randomBytes(16).toString('hex'), ...words],
      workingDirectory: request.root,
      maxOutputBytes: 64 * 1024,
    });
  }
}

/** Names are bytes, and words of a command are text: `printf %b` converts them. */
const quoteForPrintf = (path: BytePath): string =>
  path.replaceAll(/[^\w./-]/g, c => `\\0${c.charCodeAt(0).toString(8).padStart(3, '0')}`);

/** By the last name alone, from its own directory: the whole path may be as long as a path can be. */
const forEach = (action: string): string => `
for word; do (
  path=$(printf '%b.' "./$word"); path=\${path%.}
  name=\${path##*/}
  half=$name${HALFWAY}$0
  cd "\${path%/*}" 2>/dev/null || exit
  [ -w . ] || chmod u+rwx .
  ${action}
) </dev/null >/dev/null 2>&1; done`;

/**
 * Ordered so that the next call can finish after a crash. The intermediate name is one that nothing inside
 * could have created before.
 */
const COVER = forEach(`mkdir "$half" && mv "$name" "$half/${COVERED}" && mv "$half" "$name"`);

const UNCOVER = forEach(`
  [ ! -L "$name" ] || exit
  [ -e "$name/${COVERED}" ] || [ -L "$name/${COVERED}" ] || exit
  mv "$name" "$half" && mv "$half/${COVERED}" "$name" && rmdir "$half"`);

const FINISH = forEach(`
  whole=\${name%${HALFWAY}*}
  [ -e "$whole" ] || [ -L "$whole" ] || mv "$name" "$whole"`);
