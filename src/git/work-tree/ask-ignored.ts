import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { carrelError } from '../../domain/error/error.js';
import { type BytePath, toBytes } from '../byte-path.js';
import type { Git, GitOptions } from '../git.js';

/** Returns which of the paths are ignored. Rules written before a query apply to it. */
export type FindIgnored = (paths: readonly BytePath[]) => Promise<ReadonlySet<BytePath>>;

/**
 * One `git check-ignore` process that answers any number of queries while `action` runs. It reads the rules of a directory
 * when first queried about something in it, so that a walk down a tree of any depth needs no other process.
 *
 * It prints only ignored paths. So each query ends with a file that is certainly ignored, which marks the end of the answer.
 * With `--verbose` it would print every path; but that makes git 2.39 crash below 24 levels.
 */
export async function withIgnoreRules<T>(
  git: Git,
  index: GitOptions & { readonly workTree: string },
  action: (ask: FindIgnored) => Promise<T>,
): Promise<T> {
  const marker = await mkdtemp(join(index.workTree, '.carrel-'));
  await writeFile(join(marker, '.gitignore'), '*\n');
  const answers = createAnswers(`${basename(marker)}/end`);
  const questions = new PassThrough();
  // The command refuses literal pathspecs, and would find magic in a name such as `:(glob)`; behind `./` there is none.
  const env = { GIT_LITERAL_PATHSPECS: '0' };
  const running = git
    .run(['check-ignore', '--no-index', '-z', '--stdin'], {
      ...index,
      env,
      stdin: questions,
      // 1: none was.
      answers: [0, 1],
      onOutput: (stream, chunk) => (stream === 'stdout' ? answers.read(chunk) : undefined),
      maxOutputBytes: 64 * 1024,
    })
    .then(() => answers.fail(carrelError('INTERNAL', { problem: 'git check-ignore ended early' })))
    // Pending queries get the error; without any it does not matter.
    .catch(error => answers.fail(error));
  const ask: FindIgnored = async paths => {
    if (paths.length === 0) return new Set();
    const ignored = answers.next();
    questions.write(toBytes([...paths, answers.end].map(path => `./${path}\0`).join('')));
    return ignored;
  };
  try {
    return await action(ask);
  } finally {
    questions.end();
    await running;
    await rm(marker, { recursive: true, force: true });
  }
}

interface Question {
  readonly ignored: Set<BytePath>;
  resolve(ignored: ReadonlySet<BytePath>): void;
  reject(error: unknown): void;
}

/** The answers to successive queries; `end` is the last path of each. */
function createAnswers(end: BytePath) {
  let question: Question | undefined;
  let failure: unknown;
  let rest = '';
  const note = (path: BytePath): void => {
    if (path === end) question?.resolve(question.ignored);
    else question?.ignored.add(path);
  };
  return {
    end,
    next: () =>
      new Promise<ReadonlySet<BytePath>>((resolve, reject) => {
        if (failure !== undefined) reject(failure);
        question = { ignored: new Set(), resolve, reject };
      }),
    read: (chunk: Buffer): void => {
      const paths = (rest + chunk.toString('latin1')).split('\0');
      rest = paths.pop() ?? '';
      for (const path of paths) note(path.slice('./'.length));
    },
    fail: (error: unknown): void => {
      failure ??= error;
      question?.reject(error);
    },
  };
}
