import { expect, test } from 'vitest';
import { AgentSchema } from './agent.js';

test('a model name cannot be mistaken for an option of the program', () => {
  const isModel = (model: string) => AgentSchema.safeParse({ preset: 'gemini', model }).success;
  expect(['gpt-5.1', 'openrouter/qwen: free', 'opus[1m]'].map(isModel)).toEqual([true, true, true]);
  expect(['--yolo', '-x', '', ' ', 'a\nb'].map(isModel)).toEqual([false, false, false, false, false]);
});
