import type { ErrorKind } from '../../../src/domain/error/error.js';
import { errorCatalog } from '../../../src/domain/error/error-catalog.js';
import { exitCodes } from '../../../src/surfaces/cli/exit/exit-code.js';
import { Finding } from '../finding.js';
import type { Ended } from '../machine/run-carrel.js';
import type { Plan } from '../steps/plan-command.js';
import type { Fault } from '../steps/step.js';

type ErrorCode = keyof typeof errorCatalog;

interface ErrorAnswer {
  readonly code: string;
  readonly kind: ErrorKind;
  readonly message: string;
  readonly hint: string;
}

/** How a command answered: it did what it is for, refused in a sentence, or was stopped by us. */
export type Answer = 'done' | 'refused' | 'stopped';

/** Every answer is one of the catalogue's, in one sentence with a hint, and what nothing is in the way of is done. */
export function checkAnswer(
  { args, intent }: Plan,
  ended: Ended,
  fault: Fault | undefined,
  beside?: Plan,
): Answer {
  const { status, signal, stdout, stderr } = ended.outcome;
  const fail = (problem: string): never => {
    const output = [stdout, stderr].map(text => text.trim().slice(0, 1500)).join('\n');
    throw new Finding('answer', `carrel ${args.join(' ')}: ${problem}\n${output}`);
  };
  if (/^\s+at .+:\d+:\d+\)?$/m.test(`${stdout}\n${stderr}`)) fail('it printed a stack trace');
  if (ended.wasSignalled) return status === 0 ? 'done' : 'stopped';
  if (signal) fail(`it ended by ${signal}`);
  if (status === 0) return 'done';
  if (args[0] === 'doctor') return 'refused';
  const task = readTask(stdout);
  if (task && intent.mustSucceed && !fault) fail(`the task is ${task.status}`);
  if (task) return 'stopped';
  const said = readError(stdout, stderr, args);
  // The command in the workspace found no space either, and its exit status is the answer.
  if (!said && args[0] === 'exec' && fault?.kind === 'full-disk') return 'stopped';
  // The command beside it stopped what ran in the workspace: 128 + SIGTERM or SIGKILL.
  const mayBeStopped = intent.changes !== undefined && beside?.intent.stops === intent.changes.name;
  if (!said && args[0] === 'exec' && mayBeStopped && (status === 143 || status === 137)) return 'stopped';
  const error = said ?? fail(`exit status ${status} without an error of the catalogue`);
  for (const problem of findFaults(error, status)) fail(problem);
  if (intent.mustSucceed && !isExcused(error.code, fault)) fail(`it was refused with ${error.code}`);
  // A disk that fills up in the middle stops a command where it is; the next one undoes it or finishes it.
  return fault?.kind === 'full-disk' && error.code === 'DISK_FULL' ? 'stopped' : 'refused';
}

/** A task that did not succeed is an answer and no error; what it made is kept. */
function readTask(stdout: string): { readonly status: string } | undefined {
  try {
    const answer = JSON.parse(stdout);
    return String(answer.id).startsWith('task_') ? answer : undefined;
  } catch {
    return undefined;
  }
}

function readError(stdout: string, stderr: string, args: readonly string[]): ErrorAnswer | undefined {
  if (args.includes('--json')) {
    try {
      return JSON.parse(stdout).error;
    } catch {
      return undefined;
    }
  }
  // A command that is run in a workspace has the standard output.
  const [, message, hint] = /carrel: (.*)\nhint: (.*)/.exec(stderr) ?? [];
  if (!message || !hint) return undefined;
  const code = findCode(hint);
  return { code: code ?? '', kind: code ? errorCatalog[code].kind : 'user', message, hint };
}

/** People are not told the code: the hint is one error's alone, where it says nothing of the details. */
function findCode(hint: string): ErrorCode | undefined {
  return (Object.keys(errorCatalog) as ErrorCode[]).find(code => ownHint(code) === hint);
}

function ownHint(code: ErrorCode): string | undefined {
  const { hint } = errorCatalog[code] as { hint: ((details: object) => string) | string };
  try {
    return typeof hint === 'string' ? hint : hint({});
  } catch {
    return undefined;
  }
}

function findFaults({ code, kind, message, hint }: ErrorAnswer, status: number | null): string[] {
  if (code === '') return [];
  if (!Object.hasOwn(errorCatalog, code)) return [`the code ${code} is not in the catalogue`];
  return [
    ...(kind === 'internal' ? [`an internal error (${code})`] : []),
    ...(status === exitCodes[kind] ? [] : [`exit status ${status}, expected ${exitCodes[kind]} for ${kind}`]),
    ...(message?.trim() && hint?.trim() ? [] : ['a message or a hint is missing']),
  ];
}

/** What a fault of the machine may lead to. */
function isExcused(code: string, fault: Fault | undefined): boolean {
  switch (fault?.kind) {
    case 'full-disk':
      return code === 'DISK_FULL' || code === 'STATE_NOT_WRITABLE' || code === 'LIMIT_REACHED';
    case 'clock':
      return code === 'CLOCK_DISAGREES';
    case 'beside':
      return true;
    default:
      return false;
  }
}
