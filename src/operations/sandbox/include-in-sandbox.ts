import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { displayPath } from '../../git/byte-path.js';
import {
  type IncludeRequest,
  type IncludeResult,
  includeFiles,
  listIncluded,
} from '../../workspace/setup/include-files.js';
import type { Context } from '../context.js';
import { describeInclude, readWorktreeInclude, type SandboxIncludes } from '../settings/included-patterns.js';
import { findTrustedIncludes } from '../trust/trust.js';

/**
 * Copies ignored files into a sandbox: those named by the user's own configuration, and the approved ones of those named by the
 * repository. What was copied and left out is in the warnings.
 */
export async function includeInSandbox(
  context: Pick<Context, 'store' | 'git'>,
  { repositoryId }: WorkspaceRecord,
  { own, ofRepository }: SandboxIncludes,
  request: Omit<IncludeRequest, 'patterns'>,
): Promise<IncludeResult> {
  const asked = [...new Set([...(await readWorktreeInclude(request.repositoryRoot)), ...ofRepository])];
  const trusted = await findTrustedIncludes(context, repositoryId);
  const approved = asked.filter(pattern => trusted.has(describeInclude(pattern)));
  const patternsOnly = true;
  // The user's own come last: of two patterns the later one counts.
  const patterns = [...approved, ...own];
  const brought = await includeFiles(context.git, { ...request, patterns, patternsOnly });
  const came = new Set(brought.files.map(({ path }) => path));
  const isAll = asked.length === approved.length;
  const wanted = isAll ? [] : await listIncluded(context.git, { ...request, patterns: asked, patternsOnly });
  const left = wanted.filter(path => !came.has(path) && !isAbove(path, came));
  return {
    files: brought.files,
    warnings: [
      ...brought.warnings,
      ...(came.size === 0 ? [] : [`copied into the sandbox: ${listNames([...came])}`]),
      ...(left.length === 0
        ? []
        : [
            `not copied into the sandbox, because the repository requests it and you have not approved it: ${listNames(left)}; approve it with: carrel trust`,
          ]),
    ],
  };
}

/** A directory of which all files came one by one. */
const isAbove = (path: string, came: ReadonlySet<string>): boolean =>
  path.endsWith('/') && [...came].some(each => each.startsWith(path));

const MOST_NAMES = 20;

function listNames(paths: readonly string[]): string {
  const names = paths.slice(0, MOST_NAMES).map(displayPath).join(', ');
  return paths.length > MOST_NAMES ? `${names} and ${paths.length - MOST_NAMES} more` : names;
}
