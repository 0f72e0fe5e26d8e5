import type { StoryExpectation } from '../domain/story-file.js';
import type { ExpectationResult } from '../domain/story-report.js';
import { examineFile, type FileExpectation } from '../task/examine-file.js';
import { detectCommand } from './detect-command.js';
import type { DeskCommand, StoryDesk } from './story-desk.js';

type CheckOptions = Pick<DeskCommand, 'timeoutMs' | 'signal'>;

/** Whether one thing that a story is expected to bring about is true. */
export function checkExpectation(
  desk: StoryDesk,
  expectation: StoryExpectation,
  options: CheckOptions,
): Promise<ExpectationResult> {
  return 'path' in expectation
    ? checkFile(desk, expectation, options)
    : checkCommand(desk, expectation, options);
}

type AboutFile = Extract<StoryExpectation, { path: string }>;
type AboutCommand = Exclude<StoryExpectation, AboutFile>;

async function checkFile(
  { root }: StoryDesk,
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
  compiles: 'no file of the worktree tells how it is built; name it with `command`',
  tests_pass: 'no file of the worktree tells how it is tested; name it with `command`',
};

async function checkCommand(
  desk: StoryDesk,
  { type, command: given }: AboutCommand,
  options: CheckOptions,
): Promise<ExpectationResult> {
  const command = given ?? (await detectCommand(desk.root, type));
  if (command === undefined) return { type, passed: false, detail: UNKNOWN[type] };
  const { passed, ending, output } = await desk.run({ command, ...options });
  if (passed) return { type, passed, detail: command };
  return { type, passed, detail: [`${command}: it ${ending}`, output].join('\n').trimEnd() };
}
