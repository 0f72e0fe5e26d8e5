import { lstat, readdir, readFile } from 'node:fs/promises';
import { basename, join, posix } from 'node:path';
import type { EvalBase } from '../../../domain/batch/eval-item.js';
import { ignoreMissing } from '../../../domain/error/error.js';
import { type DockerfileFacts, readDockerfileFacts } from './dockerfile.js';

/** A task's container as Carrel runs it: a working tree, and perhaps an image. */
export interface ContainerTask {
  readonly base: EvalBase;
  /** The directory of the container that the working tree replaces. */
  readonly workdir: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Whether the Dockerfile installs programs that this machine may not have. */
  readonly needsImage: boolean;
}

/**
 * The working tree that a Dockerfile describes by COPY into its working directory, or why it is unknown: only an
 * engine could determine what other commands create there. Files and directories of the task that are `secret` are never part
 * of it, whatever the Dockerfile copies.
 */
export async function readContainerTask(
  context: string,
  dockerfile: string,
  secret: readonly string[],
): Promise<ContainerTask | { readonly reason: string }> {
  const text = await readFile(dockerfile, 'utf8').catch(ignoreMissing);
  if (text === undefined) return { reason: `it has no ${basename(dockerfile)}` };
  const facts = readDockerfileFacts(text);
  const problem = findProblem(facts);
  if (problem !== undefined) return { reason: problem };
  const workdir = facts.workdir as string;
  const places = [dockerfile, ...secret.map(name => join(context, name))];
  const isSecret = (path: string) => places.some(place => path === place || path.startsWith(`${place}/`));
  const files: Record<string, string> = {};
  for (const { sources, target, isInto } of facts.copies) {
    for (const source of sources) {
      const found = await collect(context, source, posix.relative(workdir, target), isInto, isSecret);
      if ('reason' in found) return found;
      Object.assign(files, found.files);
    }
  }
  const executable = Object.keys(files).filter(path => files[path]?.startsWith('#!'));
  return {
    base: { kind: 'files', files, executable },
    workdir,
    environment: facts.environment,
    needsImage: facts.commands.length > 0,
  };
}

function findProblem({ workdir, copies, commands, other }: DockerfileFacts): string | undefined {
  if (workdir === undefined || workdir === '/') return 'its Dockerfile has no WORKDIR';
  const outside = copies.find(({ target }) => target !== workdir && !target.startsWith(`${workdir}/`));
  if (outside) return `its Dockerfile copies files to ${outside.target}, outside of ${workdir}`;
  if (other[0] !== undefined)
    return `its Dockerfile has an instruction that Carrel does not support: ${other[0]}`;
  const making = commands.find(command => !splitCommands(command).every(isInstalling));
  if (making !== undefined)
    return `its Dockerfile may create files with RUN ${making.slice(0, 60)}; only files from COPY are supported`;
  return undefined;
}

const splitCommands = (text: string): string[] =>
  text
    .split(/&&|\|\||;/)
    .map(part => part.trim().replace(/^(?:\w+=\S*\s+|sudo\s+|set\s+-\w+\s*)+/, ''))
    .filter(part => part !== '');

/** Commands that install programs and do not change the working directory. */
const isInstalling = (command: string): boolean =>
  /^(?:(?:apt-get|apt|apk|dnf|yum|microdnf|pip3?|uv|npm|gem|cargo|go)\s|python3? -m pip\s|rm -rf \/(?:var|tmp|root\/\.cache)|mkdir -p \/(?:logs|tests)|true$)/.test(
    command,
  );

/**
 * Whether scripts install programs. On the host that would change the user's system, so such a task runs only in an
 * image.
 */
export const installsPrograms = (scripts: readonly (string | undefined)[]): boolean =>
  scripts.some(
    script =>
      script !== undefined &&
      /\b(?:apt-get|apt|apk|dnf|yum|brew)\s[^\n]*\b(?:install|add|update)\b|\b(?:curl|wget)\b[^\n]*\|\s*(?:ba)?sh\b/.test(
        script,
      ),
  );

type Collected = { readonly files: Record<string, string> } | { readonly reason: string };

async function collect(
  context: string,
  source: string,
  target: string,
  isInto: boolean,
  isSecret: (path: string) => boolean,
): Promise<Collected> {
  const from = join(context, source);
  const info = await lstat(from).catch(ignoreMissing);
  if (!info) return { reason: `its Dockerfile copies ${source}, which does not exist` };
  if (isSecret(from)) return { files: {} };
  if (!info.isDirectory())
    return await readTexts(
      context,
      new Map([[isInto ? posix.join(target, basename(source)) : target, from]]),
    );
  const found = await listFiles(from);
  const paths = found.filter(path => !isSecret(join(from, path)));
  return await readTexts(context, new Map(paths.map(path => [posix.join(target, path), join(from, path)])));
}

/** Paths of all files in it, recursively and sorted. */
async function listFiles(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter(entry => !entry.isDirectory())
    .map(entry => posix.relative(directory, join(entry.parentPath, entry.name)))
    .sort();
}

/** The contents of all files of a directory; empty when there is no such directory. */
export async function readDirectory(directory: string): Promise<Collected> {
  const info = await lstat(directory).catch(ignoreMissing);
  const paths = info?.isDirectory() ? await listFiles(directory) : [];
  return await readTexts(directory, new Map(paths.map(path => [path, join(directory, path)])));
}

/** Larger files are not treated as text. */
const MOST_BYTES = 8 * 1024 ** 2;

async function readTexts(root: string, places: ReadonlyMap<string, string>): Promise<Collected> {
  const files: Record<string, string> = {};
  for (const [path, place] of places) {
    const info = await lstat(place);
    const name = posix.relative(root, place);
    if (!info.isFile()) return { reason: `${name} is not a regular file` };
    if (info.size > MOST_BYTES)
      return { reason: `${name} is too large: ${info.size} bytes; expected at most ${MOST_BYTES}` };
    const bytes = await readFile(place);
    const text = bytes.toString('utf8');
    if (text.includes('\0') || !Buffer.from(text).equals(bytes)) return { reason: `${name} is not text` };
    files[path] = text;
  }
  return { files };
}
