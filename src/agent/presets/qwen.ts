import type { Preset } from '../preset.js';
import { createQwenReader } from '../readers/qwen-reader.js';
import { geminiArguments } from './gemini-arguments.js';

/** Qwen Code. Observed with 0.15.10. */
export const qwen: Preset = {
  name: 'qwen',
  title: 'Qwen Code',
  program: 'qwen',
  install: 'install it with: npm install --global @qwen-code/qwen-code',
  // Without user settings it accepts a key only together with OPENAI_BASE_URL and OPENAI_MODEL.
  keys: ['OPENAI_API_KEY'],
  variables: ['OPENAI_BASE_URL', 'OPENAI_MODEL'],
  hosts: [
    'dashscope.aliyuncs.com',
    'dashscope-intl.aliyuncs.com',
    'coding.dashscope.aliyuncs.com',
    'coding-intl.dashscope.aliyuncs.com',
    'api.openai.com',
    'openrouter.ai',
  ],
  prompt: 'stdin',
  reportsCost: 'never',
  reportsTokens: 'while-running',
  allowsAllOnHost: true,
  arguments: geminiArguments,
  environment: ({ model, isSandboxed }) => ({
    ...(model === undefined ? {} : { OPENAI_MODEL: model }),
    ...(isSandboxed ? { QWEN_SANDBOX: 'false' } : {}),
  }),
  createReader: createQwenReader,
};
