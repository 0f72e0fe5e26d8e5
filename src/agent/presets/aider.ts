import type { Preset } from '../preset.js';
import { createAiderReader } from '../readers/aider-reader.js';

/** Aider. Observed with 0.86.2. */
export const aider: Preset = {
  name: 'aider',
  title: 'Aider',
  program: 'aider',
  install: 'install it with: python -m pip install aider-install && aider-install',
  keys: ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY', 'DEEPSEEK_API_KEY', 'OPENROUTER_API_KEY'],
  variables: ['AIDER_MODEL', 'OPENAI_API_BASE'],
  hosts: [
    'api.anthropic.com',
    'api.openai.com',
    'generativelanguage.googleapis.com',
    'api.deepseek.com',
    'openrouter.ai',
  ],
  // A cache of its repository map, which it can keep nowhere else.
  leftovers: ['.aider.tags.cache.v*'],
  // It reads no prompt from standard input.
  prompt: 'file',
  reportsCost: 'while-running',
  reportsTokens: 'while-running',
  arguments: ({ promptFile, model, further }) => [
    '--message-file',
    promptFile,
    '--yes-always',
    '--no-pretty',
    '--no-stream',
    '--no-analytics',
    '--no-check-update',
    '--no-show-release-notes',
    '--no-show-model-warnings',
    // With --yes-always it would fetch every URL in the prompt and install a browser for that.
    '--no-detect-urls',
    '--no-suggest-shell-commands',
    // It would change .gitignore and keep its histories in the working tree.
    '--no-gitignore',
    '--chat-history-file',
    '/dev/null',
    '--input-history-file',
    '/dev/null',
    ...(model === undefined ? [] : ['--model', model]),
    ...further,
  ],
  environment: () => ({
    // Without any key it would open a browser to sign in.
    BROWSER: 'true',
    // Lines are wrapped at this width.
    COLUMNS: '1000',
  }),
  createReader: createAiderReader,
};
