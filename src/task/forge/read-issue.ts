import { carrelError } from '../../domain/error/error.js';
import type { Task } from '../../domain/task/task.js';
import type { Context } from '../../operations/context.js';
import { locateRepository } from '../../operations/repository/locate-repository.js';
import { findForgeProgram, runForgeProgram } from './forge-program.js';

export interface ReadIssueInput {
  /** A directory in the repository. */
  readonly repository: string;
  readonly number: number;
  /** What the user adds to the text of the issue. */
  readonly description?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface IssueTask {
  readonly description: string;
  readonly issue: NonNullable<Task['issue']>;
}

/**
 * A task made from an issue: its title and body are the description. Strangers may have written them, so they are only
 * text for the agent: no option, name or command comes from them. FORGE_PROGRAM_MISSING, ISSUE_NOT_READ.
 */
export async function readIssue(context: Context, input: ReadIssueInput): Promise<IssueTask> {
  const { root, commonDir } = await locateRepository(context, input.repository);
  const { name, program } = await requireForge(context, commonDir);
  const { number, signal } = input;
  const args = ['issue', 'view', String(number), ...FORGES[name].json];
  const result = await runForgeProgram(context, { program, args, repository: root, signal });
  signal?.throwIfAborted();
  const output = result.stderr.toString('utf8').trim().slice(-2000);
  if (result.exitCode !== 0)
    throw carrelError('ISSUE_NOT_READ', { number, program: name, exitCode: result.exitCode, output });
  const found = parseIssue(result.stdout.toString('utf8'), name);
  if (!found) {
    const problem = 'its answer has no title';
    throw carrelError('ISSUE_NOT_READ', { number, program: name, exitCode: 0, output: problem });
  }
  const parts = [found.title, found.body, input.description ?? ''];
  const description = parts.map(plain).filter(Boolean).join('\n\n');
  return { description, issue: { number, url: found.url } };
}

type ForgeName = keyof typeof FORGES;

/** The names of the fields in what each program prints. */
const FORGES = {
  gh: { json: ['--json', 'number,title,body,url'], body: 'body', url: 'url' },
  glab: { json: ['--output', 'json'], body: 'description', url: 'web_url' },
} as const;

/** glab where the remote is a GitLab, otherwise gh; the other one if that is the only one installed. */
async function requireForge(
  context: Pick<Context, 'git' | 'places' | 'environment'>,
  gitDir: string | null,
): Promise<{ readonly name: ForgeName; readonly program: string }> {
  const isGitLab =
    gitDir !== null &&
    (await context.git.succeeds(['config', '--get', 'remote.origin.url', '[gG]it[lL]ab'], { gitDir }));
  const names: readonly ForgeName[] = isGitLab ? ['glab', 'gh'] : ['gh', 'glab'];
  for (const name of names) {
    const program = findForgeProgram(context, name);
    if (program !== undefined) return { name, program };
  }
  throw carrelError('FORGE_PROGRAM_MISSING', { wanted: names[0] as string });
}

interface Issue {
  readonly title: string;
  readonly body: string;
  readonly url: string | null;
}

function parseIssue(text: string, name: ForgeName): Issue | undefined {
  const { body, url } = FORGES[name];
  try {
    const answer = JSON.parse(text) as Record<string, unknown>;
    const word = (key: string): string => (typeof answer[key] === 'string' ? answer[key] : '');
    const address = word(url);
    if (word('title').trim() === '') return undefined;
    return { title: word('title'), body: word(body), url: /^https?:\/\/\S+$/.test(address) ? address : null };
  } catch {
    return undefined;
  }
}

/** A description has no control characters; those in an issue are left out. */
const plain = (text: string): string =>
  text
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/(?![\n\t])\p{Cc}/gu, '')
    .trim();
