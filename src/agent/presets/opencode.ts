import type { Preset } from '../preset.js';
import { createOpencodeReader } from '../readers/opencode-reader.js';

/** opencode. Observed with 1.18.33. */
export const opencode: Preset = {
  name: 'opencode',
  title: 'opencode',
  program: 'opencode',
  install: 'install it with: npm install --global opencode-ai',
  keys: [
    'OPENCODE_API_KEY',
    'ANTHROPIC_API_KEY',
    'OPENAI_API_KEY',
    'GOOGLE_GENERATIVE_AI_API_KEY',
    'OPENROUTER_API_KEY',
  ],
  variables: ['OPENCODE_CONFIG_CONTENT'],
  hosts: [
    'opencode.ai',
    'models.dev',
    'api.anthropic.com',
    'api.openai.com',
    'generativelanguage.googleapis.com',
    'openrouter.ai',
  ],
  prompt: 'stdin',
  reportsCost: 'while-running',
  reportsTokens: 'while-running',
  allowsAllOnHost: true,
  arguments: ({ model, further }) => [
    'run',
    '--format',
    'json',
    // Without it everything outside the working tree is denied, including the output directory. What the user's own
    // settings deny stays denied.
    '--auto',
    ...(model === undefined ? [] : ['--model', model]),
    ...further,
  ],
  environment: () => ({
    OPENCODE_DISABLE_AUTOUPDATE: 'true',
    OPENCODE_DISABLE_SHARE: 'true',
  }),
  createReader: createOpencodeReader,
};
