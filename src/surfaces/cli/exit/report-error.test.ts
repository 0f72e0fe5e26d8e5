import { describe, expect, it } from 'vitest';
import { carrelError } from '../../../domain/error/error.js';
import { createRisk } from '../../../domain/workspace/risk.js';
import { createOutput } from '../terminal/output.js';
import { listenForInterruption } from './interruption.js';
import { reportError } from './report-error.js';

interface Circumstances {
  readonly json?: boolean;
  readonly environment?: Record<string, string>;
  readonly isTTY?: boolean;
  readonly interrupted?: boolean;
}

function report(
  error: unknown,
  { json = false, environment = {}, isTTY = false, interrupted = false }: Circumstances = {},
) {
  const written = { stdout: '', stderr: '' };
  const sink = (name: 'stdout' | 'stderr') => ({
    isTTY,
    write: (text: string | Buffer) => (written[name] += String(text)),
  });
  const output = createOutput(sink('stdout'), sink('stderr'), environment);
  let receive = () => {};
  const interruption = listenForInterruption({
    listen: (signal, listener) => {
      if (signal === 'SIGINT') receive = listener;
    },
    exit: () => {},
    narrate: () => {},
  });
  interruption.follow('finish');
  if (interrupted) receive();
  const surroundings = {
    environment,
    currentDirectory: () => '/',
    output,
    interruption,
    isInteractive: false,
  };
  return { exitCode: reportError(error, surroundings, json), ...written };
}

const notFound = carrelError('WORKSPACE_NOT_FOUND', { name: 'x', known: ['api'], nearest: 'api' });

describe('a known error', () => {
  it('is one sentence and a hint on stderr', () => {
    expect(report(notFound)).toEqual({
      exitCode: 5,
      stdout: '',
      stderr: 'carrel: there is no workspace "x"; known: api\nhint: did you mean api?\n',
    });
  });

  it('is one document on stdout with --json', () => {
    const { exitCode, stdout, stderr } = report(notFound, { json: true });
    expect(JSON.parse(stdout)).toEqual({
      error: {
        code: 'WORKSPACE_NOT_FOUND',
        kind: 'not-found',
        message: 'there is no workspace "x"; known: api',
        hint: 'did you mean api?',
        details: { name: 'x', known: ['api'], nearest: 'api' },
      },
    });
    expect({ exitCode, stderr }).toEqual({ exitCode: 5, stderr: '' });
  });

  it('has colours only on a terminal, and never with NO_COLOR', () => {
    expect(report(notFound, { isTTY: true }).stderr).toContain('\u001b[31mcarrel:');
    expect(report(notFound, { isTTY: true, environment: { NO_COLOR: '1' } }).stderr).not.toContain('\u001b');
  });

  it('escapes control characters in quoted text, while --json keeps every character', () => {
    const error = carrelError('NO_SUCH_DIRECTORY', { path: '/tmp/\u001b[2J' });
    expect(report(error).stderr).toContain('/tmp/\\x1b[2J is not a directory');
    expect(JSON.parse(report(error, { json: true }).stdout).error.details.path).toBe('/tmp/\u001b[2J');
  });
});

it('shows a refused removal with each risk and what is at stake', () => {
  const files = Array.from({ length: 12 }, (_, index) => `file-${index}.txt`);
  const error = carrelError('REMOVAL_REFUSED', {
    name: 'api',
    risks: [
      createRisk('untracked', '12 untracked files: file-0.txt, file-1.txt', files),
      createRisk('commits', '1 commit that is nowhere else: abc123', ['abc123']),
      createRisk('locked', 'the worktree is locked', [], 'unlock it with: git worktree unlock api'),
    ],
  });
  expect(report(error)).toEqual({
    exitCode: 3,
    stdout: '',
    stderr: [
      'carrel: api was kept; nothing was changed',
      '  12 untracked files: file-0.txt, file-1.txt',
      '    file-0.txt, file-1.txt, file-2.txt, file-3.txt, file-4.txt, file-5.txt, file-6.txt, file-7.txt, file-8.txt, file-9.txt and 2 more',
      '  1 commit that is nowhere else: abc123',
      '  the worktree is locked',
      'hint: unlock it with: git worktree unlock api — then: carrel down api --discard-changes --discard-commits',
      '',
    ].join('\n'),
  });
});

describe('an unexpected error', () => {
  const errno = (code: string) =>
    Object.assign(new Error(`${code}: refused`), { code, path: '/state/carrel.db' });
  const codeOf = (error: unknown) => JSON.parse(report(error, { json: true }).stdout).error.code;

  it('reports a full disk or a missing permission', () => {
    expect(['ENOSPC', 'EDQUOT'].map(code => codeOf(errno(code)))).toEqual(['DISK_FULL', 'DISK_FULL']);
    expect(new Set(['EROFS', 'EACCES', 'EPERM'].map(code => codeOf(errno(code))))).toEqual(
      new Set(['STATE_NOT_WRITABLE']),
    );
    expect(report(errno('ENOSPC')).stderr).toContain('no space left on the file system of /state/carrel.db');
    expect(report(errno('EROFS')).exitCode).toBe(4);
  });

  it('is a bug in Carrel otherwise, with a stack only when requested', () => {
    const bug = new TypeError('x is not a function');
    expect(report(bug)).toMatchObject({ exitCode: 6, stdout: '' });
    expect(report(bug).stderr).toContain('carrel: this is a bug in Carrel: x is not a function');
    expect(report(bug).stderr).not.toContain('report-error.test');
    expect(report(bug, { environment: { CARREL_DEBUG: '1' } }).stderr).toContain('report-error.test');
    expect(codeOf('not even an error')).toBe('INTERNAL');
  });
});

describe('after an interruption', () => {
  it('reports an abort as interrupted', () => {
    const aborted = new DOMException('This operation was aborted', 'AbortError');
    expect(report(aborted, { interrupted: true })).toMatchObject({
      exitCode: 130,
      stderr: expect.stringContaining('carrel: interrupted by SIGINT\n'),
    });
  });

  it('still reports an unrelated error', () => {
    const { exitCode, stderr } = report(notFound, { interrupted: true });
    expect({ exitCode, isReported: stderr.includes('there is no workspace') }).toEqual({
      exitCode: 130,
      isReported: true,
    });
  });
});
