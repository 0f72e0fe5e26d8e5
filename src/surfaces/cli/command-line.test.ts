import { describe, expect, it } from 'vitest';
import { asksForJson, findCall, separateCommandWords } from './command-line.js';
import { commandTable } from './command-table.js';

const call = (...argv: string[]) => {
  const found = findCall(argv, commandTable);
  return found.kind === 'command' ? { name: found.entry.name, args: found.args } : found;
};

describe('finding the command', () => {
  it('takes one word, a noun and a verb, or an alias', () => {
    expect(call('up', 'a', '--strict')).toEqual({ name: 'up', args: ['a', '--strict'] });
    expect(call('worktrees', 'remove', 'ws_1')).toEqual({ name: 'worktrees remove', args: ['ws_1'] });
    expect(call('ps', '--all')).toEqual({ name: 'ls', args: ['--all'] });
  });

  it('passes options before the command on to it', () => {
    expect(call('-R', 'up', '--json', 'ls')).toEqual({ name: 'ls', args: ['-R', 'up', '--json'] });
    expect(call('--repository=up', 'worktrees', 'list')).toEqual({
      name: 'worktrees list',
      args: ['--repository=up'],
    });
  });

  it('shows help without arguments, for a noun, and on request', () => {
    expect(call()).toEqual({ kind: 'help', noun: undefined, asked: false });
    expect(call('-R')).toEqual({ kind: 'help', noun: undefined, asked: false });
    expect(call('--help')).toEqual({ kind: 'help', noun: undefined, asked: true });
    expect(call('help')).toEqual({ kind: 'help', noun: undefined, asked: true });
    expect(call('worktrees')).toEqual({ kind: 'help', noun: 'worktrees', asked: false });
    expect(call('help', 'worktrees')).toEqual({ kind: 'help', noun: 'worktrees', asked: true });
    expect(call('help', 'config', 'show')).toEqual({ name: 'config show', args: ['--help'] });
  });

  it('suggests a known command for a typo or a word of another tool, and nothing else', () => {
    const problem = (...argv: string[]) => {
      try {
        return call(...argv);
      } catch (error) {
        const { code, details } = error as { code: string; details: { nearest?: string } };
        return [code, details.nearest];
      }
    };
    expect(problem('dwon', 'a')).toEqual(['UNKNOWN_COMMAND', 'down']);
    expect(problem('worktree')).toEqual(['UNKNOWN_COMMAND', 'worktrees']);
    expect(problem('worktrees', 'clean')).toEqual(['UNKNOWN_COMMAND', 'worktrees cleanup']);
    expect(problem('merge', 'a')).toEqual(['UNKNOWN_COMMAND', 'land']);
    expect(problem('rm', 'a')).toEqual(['UNKNOWN_COMMAND', 'down']);
    expect(problem('list')).toEqual(['UNKNOWN_COMMAND', 'ls']);
    expect(problem('new', 'a')).toEqual(['UNKNOWN_COMMAND', 'up']);
    expect(problem('task', 'stop')).toEqual(['UNKNOWN_COMMAND', 'task cancel']);
    expect(problem('eval', 'delete')).toEqual(['UNKNOWN_COMMAND', 'eval rm']);
    expect(problem('verge')).toEqual(['UNKNOWN_COMMAND', undefined]);
    expect(problem('frobnicate')).toEqual(['UNKNOWN_COMMAND', undefined]);
    expect(problem('constructor')).toEqual(['UNKNOWN_COMMAND', undefined]);
  });
});

describe('separating the words of the command to run', () => {
  const separate = (line: string) =>
    separateCommandWords(line.split(' '), new Set(['-R', '--timeout'])).join(' ');

  it('puts -- before the second word, so that options after it are not parsed as ours', () => {
    expect(separate('a ls -la --json')).toBe('a -- ls -la --json');
    expect(separate('-R repo a ls -R')).toBe('-R repo a -- ls -R');
    expect(separate('a --timeout 5s npm run x -- --json')).toBe('a --timeout 5s -- npm run x -- --json');
    expect(separate('--timeout=5s a ls')).toBe('--timeout=5s a -- ls');
  });

  it('does not change a line with its own -- or without a command', () => {
    expect(separate('a --json -- ls -la')).toBe('a --json -- ls -la');
    expect(separate('-- a ls')).toBe('-- a ls');
    expect(separate('a --json')).toBe('a --json');
  });
});

it('finds --json only before --', () => {
  expect(asksForJson(['a', '--json', '--', 'ls'])).toBe(true);
  expect(asksForJson(['a', '--', 'ls', '--json'])).toBe(false);
});
