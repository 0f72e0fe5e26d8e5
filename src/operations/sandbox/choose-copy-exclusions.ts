import { isCarrelError } from '../../domain/error/error.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { type BytePath, displayPath, toBytePath } from '../../git/byte-path.js';
import type { CreateHooks, Repository } from '../../workspace/backend.js';
import { listIncluded } from '../../workspace/setup/include-files.js';
import type { Context } from '../context.js';
import { detectBackend } from '../repository/locate-repository.js';
import { describeInclude, readWorktreeInclude, type SandboxIncludes } from '../settings/included-patterns.js';
import { findTrustedIncludes } from '../trust/trust.js';

/** What a plain copy of a directory leaves out for a sandbox. */
export interface LeftOut {
  readonly leaveOut: NonNullable<CreateHooks['leaveOut']>;
  /** Messages about what was left out and copied, after the copy. */
  warnings(): string[];
}

/**
 * For a plain copy, the rule of include-in-sandbox.ts: files that git ignores are copied into a sandbox when the user's own configuration
 * names them, or when the repository does and the user has approved that. Without git only `.env` files have to be named.
 */
export async function chooseLeftOut(
  context: Pick<Context, 'store' | 'backends' | 'git'>,
  { repository: source }: WorkspaceRecord,
  includes: SandboxIncludes,
): Promise<LeftOut> {
  const repository = await findRepository(context, source);
  const rule = repository
    ? await ruleOfGit(context, repository, source, includes)
    : ruleOfNames(includes.own.map(compilePattern));
  const left: BytePath[] = [];
  const came: BytePath[] = [];
  return {
    leaveOut: (path, isDirectory) => {
      const decision = rule(path, isDirectory);
      if (decision === 'leave') left.push(isDirectory ? `${path}/` : path);
      if (decision === 'chosen') came.push(path);
      return decision === 'leave';
    },
    warnings: () => [
      ...(came.length === 0 ? [] : [`copied into the sandbox: ${listNames(came)}`]),
      ...(left.length === 0
        ? []
        : [
            `not copied into the sandbox without your approval: ${listNames(left)}; to copy it, add it to workspace.include in your user configuration`,
          ]),
    ],
  };
}

/** `chosen` is what would be left out without the user's approval. */
type Decision = 'leave' | 'chosen' | 'ordinary';
type Rule = (path: BytePath, isDirectory: boolean) => Decision;

async function findRepository(
  context: Pick<Context, 'backends'>,
  source: string,
): Promise<Repository | undefined> {
  try {
    return await context.backends.of(await detectBackend(source)).locate(source);
  } catch (error) {
    if (isCarrelError(error)) return undefined;
    throw error;
  }
}

async function ruleOfGit(
  context: Pick<Context, 'store' | 'git'>,
  { id, root, commonDir }: Repository,
  source: string,
  { own, ofRepository }: SandboxIncludes,
): Promise<Rule> {
  if (commonDir === null) return ruleOfNames(own.map(compilePattern));
  const trusted = await findTrustedIncludes(context, id);
  const asked = [...(await readWorktreeInclude(root)), ...ofRepository];
  const approved = asked.filter(pattern => trusted.has(describeInclude(pattern)));
  const place = { gitDir: commonDir, workTree: root };
  const list = ['ls-files', '--others', '--ignored', '--exclude-standard', '--directory', '-z'];
  const ignored = await context.git.records(list, place);
  const request = { repositoryRoot: root, commonDir, patterns: [...approved, ...own], patternsOnly: true };
  const chosen = await listIncluded(context.git, request);
  // A directory may be copied that is not the top of its repository.
  const above = source === root ? '' : `${toBytePath(source.slice(root.length + 1))}/`;
  const [isIgnored, isChosen] = [createSet(ignored), createSet(chosen)];
  return (path, isDirectory) => {
    const whole = `${above}${path}`;
    if (!isIgnored.covers(whole)) return 'ordinary';
    if (isChosen.covers(whole)) return 'chosen';
    return isDirectory && isChosen.isAbove(whole) ? 'ordinary' : 'leave';
  };
}

/** Paths as git lists them: a `/` at the end includes everything below. */
function createSet(paths: readonly BytePath[]) {
  const names = new Set(paths.map(path => path.replace(/\/$/, '')));
  const parents = new Set(paths.flatMap(path => listParents(path.replace(/\/$/, ''))));
  return {
    covers: (path: BytePath) => names.has(path) || listParents(path).some(parent => names.has(parent)),
    isAbove: (path: BytePath) => parents.has(path),
  };
}

function listParents(path: BytePath): BytePath[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, at) => parts.slice(0, at + 1).join('/'));
}

const SECRET_NAME = /(^|\/)\.env(\..+)?$/;
const EXAMPLE_NAME = /\.(example|sample|template|dist|defaults?)$/;

const ruleOfNames =
  (chosen: readonly RegExp[]): Rule =>
  (path, isDirectory) => {
    if (isDirectory || !SECRET_NAME.test(path) || EXAMPLE_NAME.test(path)) return 'ordinary';
    return chosen.some(pattern => pattern.test(path)) ? 'chosen' : 'leave';
  };

/** As in .gitignore, as far as names, `*`, `**` and a leading `/` go. */
function compilePattern(pattern: string): RegExp {
  const name = toBytePath(pattern.replace(/^\//, ''));
  const body = name
    .replaceAll(/[.+^${}()|[\]\\?]/g, String.raw`\$&`)
    .replaceAll(/\*+/g, stars => (stars.length > 1 ? '.*' : '[^/]*'));
  return new RegExp(`${pattern.replace(/\/$/, '').includes('/') ? '^' : '(^|/)'}${body}$`);
}

const MOST_NAMES = 20;

function listNames(paths: readonly BytePath[]): string {
  const names = paths.slice(0, MOST_NAMES).map(displayPath).join(', ');
  return paths.length > MOST_NAMES ? `${names} and ${paths.length - MOST_NAMES} more` : names;
}
