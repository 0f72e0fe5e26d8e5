import type { ShellOptions } from '../attempt/run-shell.js';
import type { StoryExpectation } from '../domain/story/story-file.js';
import type { ExpectationResult } from '../domain/story/story-report.js';
import { examineFile, type FileExpectation } from '../task/validation/examine-file.js';
import { detectCommand } from './detect-command.js';
import type { StoryWorktree } from './story-worktree.js';

type CheckOptions = Pick<ShellOptions, 'timeoutMs' | 'signal'>;

/** Checks one expectation of a story. */
export function checkExpectation(
  worktree: StoryWorktree,
  expectation: StoryExpectation,
  options: CheckOptions,
): Promise<ExpectationResult> {
  return 'path' in expectation
    ? checkFile(worktree, expectation, options)
    : checkCommand(worktree, expectation, options);
}

type AboutFile = Extract<StoryExpectation, { path: string }>;
type AboutCommand = Exclude<StoryExpectation, AboutFile>;

async function checkFile(
  { root }: StoryWorktree,
  expectation: AboutFile,
  { signal }: CheckOptions,
): Promise<ExpectationResult> {
  const { type, path } = expectation;
  const { passed, detail } = await examineFile(root, toFileExpectation(expectation), signal);
  return { type, passed, detail: detail === null ? path : `${path}: ${detail}` };
}

function toFileExpectation(expectation: AboutFile): FileExpectation {
  const { path } = expectation;
  if (expectation.type === 'file_exists') return { kind: 'file-exists', path };
  const { text, pattern } = expectation;
  const kind = expectation.type === 'file_contains' ? 'file-contains' : 'file-not-contains';
  return { kind, path, text, pattern };
}

const UNKNOWN: Readonly<Record<AboutCommand['type'], string>> = {
  compiles: 'no file of the worktree says how to build it; set `command`',
  tests_pass: 'no file of the worktree says how to test it; set `command`',
};

async function checkCommand(
  worktree: StoryWorktree,
  { type, command: given }: AboutCommand,
  options: CheckOptions,
): Promise<ExpectationResult> {
  const command = given ?? (await detectCommand(worktree.root, type));
  if (command === undefined) return { type, passed: false, detail: UNKNOWN[type] };
  const { passed, ending, output } = await worktree.run({ text: command, ...options });
  if (passed) return { type, passed, detail: command };
  return { type, passed, detail: [`${command}: it ${ending}`, output].join('\n').trimEnd() };
}
