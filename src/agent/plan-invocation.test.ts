import { expect, test } from 'vitest';
import { presetAgent } from '../../test/helpers/agent/call-agent.js';
import type { ResolvedAgent } from '../domain/task/task.js';
import { planInvocation } from './plan-invocation.js';

const REQUEST = {
  prompt: 'Do it.',
  handoff: {
    promptFile: '/desk/prompt.md',
    inputDir: '/desk/in',
    outputDir: '/desk/out',
    filesDir: '/desk/files',
  },
  isSandboxed: false,
  callerEnvironment: { ANTHROPIC_API_KEY: 'own', GH_TOKEN: 'of another', LLM_KEY: 'named' },
};

type PromptWay = Extract<ResolvedAgent['program'], { kind: 'command' }>['prompt'];

const plan = (command: string | readonly string[], prompt: PromptWay) =>
  planInvocation(
    { ...presetAgent('claude', { arguments: ['--more'] }), program: { kind: 'command', command, prompt } },
    REQUEST,
  );

test('text goes to the shell, with the prompt as its first argument', () => {
  expect(plan('do "$1"', 'argument').command).toEqual(['sh', '-c', 'do "$1"', 'carrel', 'Do it.', '--more']);
  expect(plan('do "$1"', 'stdin')).toMatchObject({
    command: ['sh', '-c', 'do "$1"', 'carrel', '--more'],
    stdin: 'Do it.',
  });
});

test('a list is a program with its arguments, and the prompt is the last one', () => {
  expect(plan(['do', 'now'], 'argument').command).toEqual(['do', 'now', '--more', 'Do it.']);
  expect(plan(['do', 'now'], 'file')).toEqual({
    command: ['do', 'now', '--more'],
    stdin: undefined,
    environment: {
      CARREL_PROMPT_FILE: '/desk/prompt.md',
      CARREL_INPUT_DIR: '/desk/in',
      CARREL_OUTPUT_DIR: '/desk/out',
      CARREL_FILES_DIR: '/desk/files',
    },
  });
});

test("an agent's own variables win over those of its preset, and Carrel's over both", () => {
  const environment = { DISABLE_AUTOUPDATER: '0', CARREL_OUTPUT_DIR: '/elsewhere' };
  expect(planInvocation(presetAgent('claude', { environment }), REQUEST).environment).toMatchObject({
    DISABLE_AUTOUPDATER: '0',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CARREL_OUTPUT_DIR: '/desk/out',
  });
});

test("an agent's own sandbox is off inside ours, and its permissions are not skipped on the host", () => {
  const words = (preset: 'claude' | 'codex', isSandboxed: boolean) =>
    planInvocation(presetAgent(preset), { ...REQUEST, isSandboxed }).command.filter(word =>
      word.startsWith('--dangerously'),
    );
  expect([words('claude', false), words('codex', false)]).toEqual([[], []]);
  expect(words('claude', true)).toEqual(['--dangerously-skip-permissions']);
  expect(words('codex', true)).toEqual(['--dangerously-bypass-approvals-and-sandbox']);
});

test('in a sandbox an agent gets its own keys and the variables that the user names for it, and no others', () => {
  const inside = { ...REQUEST, isSandboxed: true };
  const claude = planInvocation(presetAgent('claude', { passEnvironment: ['LLM_KEY'] }), inside).environment;
  expect(claude).toMatchObject({ ANTHROPIC_API_KEY: 'own', LLM_KEY: 'named' });
  expect(claude).not.toHaveProperty('GH_TOKEN');
  const command = { kind: 'command', command: 'do', prompt: 'stdin' } as const;
  const plain = planInvocation({ ...presetAgent('claude'), program: command }, inside).environment;
  expect(Object.keys(plain).filter(name => !name.startsWith('CARREL_'))).toEqual([]);
  expect(planInvocation(presetAgent('claude'), REQUEST).environment).not.toHaveProperty('ANTHROPIC_API_KEY');
});

test('a prompt that is too long for an argument is passed by file, and no argument contains a NUL', () => {
  const argue = (prompt: string) => {
    const program = { kind: 'command', command: ['do'], prompt: 'argument' } as const;
    return planInvocation({ ...presetAgent('claude'), program }, { ...REQUEST, prompt }).command.at(-1);
  };
  expect(argue('é'.repeat(64 * 1024))).toContain('/desk/prompt.md');
  expect(argue('x'.repeat(128 * 1024 - 1))).toHaveLength(128 * 1024 - 1);
  expect(argue('a\0b')).toBe('a\uFFFDb');
});

test('claude gets the remaining budget', () => {
  const words = planInvocation(presetAgent('claude'), { ...REQUEST, budgetUsd: 0.5 }).command;
  expect(words[words.indexOf('--max-budget-usd') + 1]).toBe('0.5000');
});
